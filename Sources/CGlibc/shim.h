#include <linux/memfd.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <wchar.h>

#include "lanes.h"
#include "resolver.h"
#include "udp.h"

// glibc declares it only with _XOPEN_SOURCE, which Swift does not define.
int wcwidth(wchar_t character);

// And these only with _GNU_SOURCE.
int memfd_create(const char *name, unsigned int flags);
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(void *actions, int first);
int setresgid(gid_t real, gid_t effective, gid_t saved);
int setresuid(uid_t real, uid_t effective, uid_t saved);
int unshare(int flags);

// Swift does not let a global variable be read that others may change. Read it while there is one thread.
static inline char **hubpair_environment(void) {
    extern char **environ;
    return environ;
}

// Swift imports neither fork(2) nor variadic functions. The child dies with its parent, so that a search that was
// interrupted does not go on.
static inline pid_t hubpair_fork(void) {
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
    }
    return child;
}

// Starts a program with `files` as its descriptors 0, 1 and 2, and `environment`; NULL: this one's, and then the program
// is looked for in PATH. Unlike one of posix_spawnp(3) it dies with its parent: with the thread that starts it.
// Returns 0 or an errno. <fcntl.h> and <sys/wait.h> would make this module the owner of struct stat.
static inline int hubpair_spawn(
    pid_t *process, char *const words[], char *const environment[], const int files[3]) {
    const int close_on_exec = 02000000, duplicate = 1030;  // O_CLOEXEC, F_DUPFD_CLOEXEC
    int report[2], fault = 0;
    if (pipe2(report, close_on_exec) != 0) return errno;
    pid_t child = hubpair_fork();
    if (child == 0) {
        int high[3];
        for (int number = 0; number < 3; number++) {
            high[number] = (int)syscall(SYS_fcntl, files[number], duplicate, 3);
            if (high[number] < 0) fault = errno;
        }
        for (int number = 0; number < 3 && fault == 0; number++) {
            if (dup2(high[number], number) < 0) fault = errno;
        }
        if (fault == 0) {
            if (environment == NULL) execvp(words[0], words);
            else execve(words[0], words, environment);
            fault = errno;
        }
        ssize_t sent = write(report[1], &fault, sizeof fault);
        _exit(sent < 0);
    }
    if (child < 0) fault = errno;
    close(report[1]);
    // It is closed without a word when the program starts.
    while (child > 0 && read(report[0], &fault, sizeof fault) < 0 && errno == EINTR) {}
    close(report[0]);
    if (child > 0 && fault != 0) syscall(SYS_wait4, child, 0, 0, 0);
    *process = child;
    return fault;
}

// Swift does not import the variadic prctl(2). 0 if it is done.
static inline int hubpair_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// A descriptor that is readable once the process has ended (pidfd_open(2), Linux 5.3); -1 without it. syscall(2) is
// variadic, and glibc has a function for it only since 2.36.
static inline int hubpair_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// Not by the number, which may be another process's by now.
static inline int hubpair_pidfd_kill(int process) {
    return (int)syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
}
