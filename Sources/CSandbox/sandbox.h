// What hubpair-picture may still do once its libraries are loaded, and before it looks at a picture.
#include "filter.h"
#include <errno.h>
#include <iconv.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// The three kinds of locks; each allows what the one before it does.
enum hubpair_lock {
    HUBPAIR_LOCK_NOTHING,  // memory, its two pipes, and threads: for pictures, and for drawings without text
    HUBPAIR_LOCK_FILES,    // reads the files that are named: fonts
    HUBPAIR_LOCK_PROGRAMS  // starts the programs among them: pdftoppm
};

// Every system call that is not named fails with EPERM.
static const int hubpair_calls_nothing[] = {
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek, SYS_close, SYS_munmap, SYS_mremap, SYS_brk,
    SYS_madvise, SYS_futex, SYS_sched_yield, SYS_sched_getaffinity, SYS_getrandom, SYS_clock_gettime, SYS_clock_getres,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_getpid, SYS_gettid, SYS_getrusage, SYS_times, SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_setitimer, SYS_exit, SYS_exit_group,
    SYS_set_robust_list, SYS_ppoll, SYS_restart_syscall, SYS_sysinfo,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll, SYS_time,
#endif
};
static const int hubpair_calls_files[] = {
    SYS_newfstatat, SYS_fstat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_getdents64, SYS_readlinkat, SYS_faccessat, SYS_getcwd,
    SYS_uname, SYS_fadvise64, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
#ifdef SYS_stat
    SYS_stat, SYS_lstat, SYS_access, SYS_readlink,
#endif
};
static const int hubpair_calls_programs[] = {
    SYS_execve, SYS_wait4, SYS_pipe2, SYS_dup, SYS_dup3, SYS_fcntl, SYS_memfd_create, SYS_set_tid_address, SYS_getppid,
    SYS_prctl, SYS_prlimit64, SYS_clone, SYS_ftruncate,
#ifdef SYS_dup2
    SYS_dup2, SYS_arch_prctl, SYS_vfork, SYS_fork,
#endif
};

// Allows a call only if, of the bits `mask` of an argument, exactly `bits` are set.
static inline void hubpair_allow_if(struct hubpair_filter *filter, int call, int number, uint32_t mask, uint32_t bits) {
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 5);
    hubpair_load_argument(filter, number);
    hubpair_step(filter, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1);
    HUBPAIR_RETURN(SECCOMP_RET_ALLOW);
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | EPERM);
}

static inline void hubpair_allow(struct hubpair_filter *filter, const int *calls, size_t count) {
    for (size_t index = 0; index < count; index++) {
        hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[index], 0, 1);
        HUBPAIR_RETURN(SECCOMP_RET_ALLOW);
    }
}

static inline int hubpair_filter_calls(enum hubpair_lock lock) {
    struct hubpair_filter room, *filter = &room;
    hubpair_begin(filter);
    hubpair_allow(filter, hubpair_calls_nothing, sizeof hubpair_calls_nothing / sizeof(int));
    // glibc makes threads with clone(2) where there is no clone3(2), whose arguments cannot be looked at.
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
    if (lock >= HUBPAIR_LOCK_FILES) {
        hubpair_allow(filter, hubpair_calls_files, sizeof hubpair_calls_files / sizeof(int));
        // Without O_WRONLY, O_RDWR, O_CREAT and O_TRUNC.
        const uint32_t writing = 01 | 02 | 0100 | 01000;
        hubpair_allow_if(filter, SYS_openat, 2, writing, 0);
#ifdef SYS_open
        hubpair_allow_if(filter, SYS_open, 1, writing, 0);
#endif
    }
    if (lock >= HUBPAIR_LOCK_PROGRAMS) {
        hubpair_allow(filter, hubpair_calls_programs, sizeof hubpair_calls_programs / sizeof(int));
        // The loader of programs maps code.
        const int maps[] = { SYS_mmap, SYS_mprotect };
        hubpair_allow(filter, maps, 2);
    } else {
        hubpair_allow_if(filter, SYS_clone, 0, 0x00010000, 0x00010000);  // CLONE_THREAD
        hubpair_allow_if(filter, SYS_mmap, 2, 4, 0);                     // no PROT_EXEC
        hubpair_allow_if(filter, SYS_mprotect, 2, 4, 0);
        if (lock >= HUBPAIR_LOCK_FILES) {
            const int fcntl[] = { SYS_fcntl };
            hubpair_allow(filter, fcntl, 1);
        }
    }
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = { filter->count, filter->steps };
    // All threads: a library may have started one.
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// Leaves the right to read, and with `executes` to run, what is below the paths. 0; -1 if the kernel has no Landlock.
static inline int hubpair_restrict_files(const char *const *paths, size_t count, int executes) {
    const int create = 444, add = 445, restrict_self = 446, path_only = 010000000 | 02000000;  // O_PATH | O_CLOEXEC
    long version = syscall(create, NULL, 0, 1);
    if (version < 1) return -1;
    // So many rights each version knows.
    const uint64_t rights[] = { 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF };
    struct hubpair_landlock_ruleset all = { rights[version > 5 ? 4 : version - 1], version >= 4 ? 3 : 0, version >= 6 ? 3 : 0 };
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(create, &all, size, 0);
    if (rules < 0) return -1;
    for (size_t index = 0; index < count; index++) {
        int place = (int)syscall(SYS_openat, -100, paths[index], path_only);  // AT_FDCWD
        if (place < 0) continue;
        struct hubpair_landlock_path path = {
            HUBPAIR_FILES_READ | HUBPAIR_FILES_LIST | (executes ? HUBPAIR_FILES_EXECUTE : 0), place };
        // A file takes no rights of folders.
        if (syscall(add, rules, 1, &path, 0) != 0) {
            path.files &= ~(uint64_t)HUBPAIR_FILES_LIST;
            syscall(add, rules, 1, &path, 0);
        }
        close(place);
    }
    int result = (int)syscall(restrict_self, rules, 0);
    close(rules);
    return result;
}

// Takes all rights but those of the lock from this process, for ever. 0, or an errno if the kernel cannot do that; what
// only Landlock does is left out on a kernel without it.
//   memory    bytes of address space beside what is in use
//   seconds   of processor time
static inline int hubpair_lock_in(
    enum hubpair_lock lock, const char *const *paths, size_t count, size_t memory, unsigned seconds) {
    struct rlimit none = { 0, 0 }, space = { memory, memory }, time = { seconds, seconds + 1 };
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &time);
    if (memory > 0) setrlimit(RLIMIT_AS, &space);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    hubpair_restrict_files(paths, lock == HUBPAIR_LOCK_NOTHING ? 0 : count, lock >= HUBPAIR_LOCK_PROGRAMS);
    // The descriptors that are open stay so; new ones only where files are read.
    if (lock == HUBPAIR_LOCK_NOTHING) setrlimit(RLIMIT_NOFILE, &none);
    if (lock != HUBPAIR_LOCK_PROGRAMS) setrlimit(RLIMIT_FSIZE, &none);
    return hubpair_filter_calls(lock) == 0 ? 0 : errno != 0 ? errno : EPERM;
}

// Ends this process in so much of its processor time from now on; at once if that is nothing.
static inline void hubpair_end_in(double seconds) {
    if (!(seconds > 0.001)) seconds = 0.001;
    if (seconds > 1e6) seconds = 1e6;
    struct itimerval timer = { { 0, 0 }, { (time_t)seconds, (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) } };
    setitimer(ITIMER_PROF, &timer, NULL);
}

// The character sets that libzbar asks iconv(3) for: their files are read here, since later none can be.
static inline void hubpair_load_charsets(void) {
    const char *names[] = { "ISO8859-1", "SJIS", "BIG5", "CP437" };
    for (int index = 0; index < 4; index++) iconv_open("UTF-8", names[index]);
}

// Takes nothing over from the parent: closes what is open beside standard input, output and errors, and lets the signals
// come that end this process.
static inline void hubpair_start_clean(void) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (syscall(436, 3, ~0U, 0) != 0) {  // close_range(2)
        for (int descriptor = 3; descriptor < 4096; descriptor++) close(descriptor);
    }
}
