// What the gate of a hub can still do once it has begun to serve, and what starts its house, which may do more: hooks.
#pragma once
// What Glibc's module has (sockets, signals) is not included: it would belong to this one then.
#include "../CSandbox/filter.h"
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct hubpair_part { void *bytes; size_t count; };
struct hubpair_message {
    void *name; unsigned name_length; struct hubpair_part *parts; size_t part_count;
    void *control; size_t control_length; int flags;
};
// A message with one descriptor: what CMSG_SPACE(sizeof(int)) has room for (cmsg(3)).
struct hubpair_descriptor { size_t length; int level, type, number, nothing; };
enum { HUBPAIR_RIGHTS_LENGTH = sizeof(size_t) + 3 * sizeof(int) };

// System calls by which a process reaches into others, into the kernel or into other namespaces; systemd's @debug, @module,
// @mount, @raw-io, @reboot, @swap, @keyring and more. Those without a name in older headers are numbers, which are the same
// for both processors.
static const int hubpair_calls_refused[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
    SYS_personality, SYS_syslog, SYS_acct, SYS_quotactl, SYS_settimeofday, SYS_clock_settime, SYS_sethostname,
    SYS_setdomainname, SYS_open_by_handle_at, SYS_vhangup, SYS_lookup_dcookie, SYS_move_pages, SYS_migrate_pages, SYS_fanotify_init,
    425, 426, 427,            // io_uring, which goes around the filter
    428, 429, 430, 431, 432, 433, 442,  // the new mount calls
    438, 440,                 // pidfd_getfd, process_madvise
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
};

// Refuses a call if, of the bits `mask` of an argument, exactly `bits` are set, or, with `unless`, if they are not.
static inline void hubpair_refuse_if(
    struct hubpair_filter *filter, int call, int number, uint32_t mask, uint32_t bits, int unless) {
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 5);
    hubpair_load_argument(filter, number);
    hubpair_step(filter, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, bits, unless ? 1 : 0, unless ? 0 : 1);
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | EPERM);
    hubpair_step(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

// Takes the calls above from this thread, from all that it starts, and from their programs, for ever. 0, or an errno.
static inline int hubpair_refuse_calls(void) {
    struct hubpair_filter room, *filter = &room;
    hubpair_begin(filter);
#if defined(__x86_64__)
    hubpair_step(filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);  // x32 has other numbers for the same calls
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
    for (size_t index = 0; index < sizeof hubpair_calls_refused / sizeof(int); index++) {
        hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)hubpair_calls_refused[index], 0, 1);
        HUBPAIR_RETURN(SECCOMP_RET_ERRNO | EPERM);
    }
    // glibc makes threads and processes with clone(2) where there is no clone3(2), whose arguments cannot be looked at.
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | ENOSYS);
    hubpair_refuse_if(filter, SYS_clone, 0, 0x7E020080, 0, 1);  // CLONE_NEW*
    hubpair_refuse_if(filter, SYS_mmap, 2, 6, 6, 0);            // PROT_WRITE | PROT_EXEC
    hubpair_refuse_if(filter, SYS_mprotect, 2, 4, 4, 0);        // PROT_EXEC
    // AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, and no other sockets.
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 7);
    hubpair_load_argument(filter, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 1, 4, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 2, 3, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 10, 2, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, 16, 1, 0);
    HUBPAIR_RETURN(SECCOMP_RET_ERRNO | EAFNOSUPPORT);
    hubpair_step(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    HUBPAIR_RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = { filter->count, filter->steps };
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 ? 0 : errno;
}

// The name of this process in lists, which starting over has made that of the link by which it did.
static inline void hubpair_take_name(const char *path) {
    const char *slash = strrchr(path, '/');
    prctl(PR_SET_NAME, slash ? slash + 1 : path, 0, 0, 0);
}

// How much of Landlock the kernel has: 0 nothing.
static inline int hubpair_landlock_version(void) {
    long version = syscall(444, NULL, 0, 1);
    return version < 1 ? 0 : (int)version;
}

// A Landlock ruleset that leaves the right to read and run what is below `readable`, and all but running and making devices
// below `writable`. It restricts nobody yet. -1 if the kernel has none. `abstract`: sockets without a path are kept from
// other programs too.
static inline int hubpair_files_rules(const char *const *readable, const char *const *writable, int abstract) {
    int version = hubpair_landlock_version();
    if (version == 0) return -1;
    const uint64_t rights[] = { 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF };
    const uint64_t known = rights[version > 5 ? 4 : version - 1];
    struct hubpair_landlock_ruleset all = { known, 0, version >= 6 && abstract ? 1 : 0 };
    int rules = (int)syscall(444, &all, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0);
    if (rules < 0) return -1;
    const uint64_t devices = 1 << 6 | 1 << 11, executes = HUBPAIR_FILES_EXECUTE;
    // A file takes no rights of folders.
    const uint64_t of_files = HUBPAIR_FILES_EXECUTE | 1 << 1 | HUBPAIR_FILES_READ | 1 << 14 | 1 << 15;
    for (int kind = 0; kind < 2; kind++) {
        const uint64_t wanted = kind == 0 ? (uint64_t)(HUBPAIR_FILES_EXECUTE | HUBPAIR_FILES_READ | HUBPAIR_FILES_LIST)
                                          : known & ~(devices | executes);
        for (const char *const *path = kind == 0 ? readable : writable; *path != NULL; path++) {
            int place = (int)syscall(SYS_openat, -100, *path, 010000000 | 02000000);  // AT_FDCWD, O_PATH | O_CLOEXEC
            if (place < 0) continue;
            struct hubpair_landlock_path rule = { wanted, place };
            if (syscall(445, rules, 1, &rule, 0) != 0) {
                rule.files &= of_files;
                syscall(445, rules, 1, &rule, 0);
            }
            close(place);
        }
    }
    return rules;
}

// Restricts this thread and all that it starts to the rules; call it while there is no other. 0, or an errno.
static inline int hubpair_restrict_to(int rules) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (rules >= 0 && syscall(446, rules, 0) != 0) return errno;
    return 0;
}

// Waits at `socket` for questions to start the program of `words`, whose last word each question says, with the descriptor
// that comes along as its standard input. It starts as a child of this process's parent, which alone can ask.
static inline void hubpair_keep(int socket, char **words, size_t last) {
    for (;;) {
        static char word[4096];
        struct hubpair_descriptor control;
        struct hubpair_part part = { word, sizeof word - 1 };
        struct hubpair_message message = { 0, 0, &part, 1, &control, sizeof control, 0 };
        long count = syscall(SYS_recvmsg, socket, &message, 0x40000000);  // MSG_CMSG_CLOEXEC
        if (count < 0 && errno == EINTR) continue;
        if (count < 1) _exit(0);
        // SOL_SOCKET, SCM_RIGHTS
        if (message.control_length < HUBPAIR_RIGHTS_LENGTH || control.length != HUBPAIR_RIGHTS_LENGTH || control.level != 1
            || control.type != 1) continue;
        int input = control.number;
        word[count] = 0;
        words[last] = word;
        pid_t child = (pid_t)syscall(SYS_clone, 0x8000 | 17, 0, 0, 0, 0);  // CLONE_PARENT, SIGCHLD
        if (child == 0) {
            // A group of its own: the terminal's Ctrl-C is for the gate, which ends it.
            setpgid(0, 0);
            if (dup2(input, 0) == 0) execv(words[0], words);
            _exit(127);
        }
        close(input);
        int answer = child < 0 ? -errno : child;
        if (syscall(SYS_sendto, socket, &answer, sizeof answer, 0x4000, 0, 0) < 0) _exit(0);  // MSG_NOSIGNAL
    }
}

// Starts a process that does that, until the other end is closed. Returns this end, which programs inherit; -1 if it cannot.
static inline int hubpair_start_keeper(char **words, size_t last) {
    int ends[2];
    if (syscall(SYS_socketpair, 1, 5, 0, ends) != 0) return -1;  // AF_UNIX, SOCK_SEQPACKET
    pid_t keeper = fork();
    if (keeper == 0) {
        // From here on only what is safe in a copy of one thread of several (signal-safety(7)).
        uint64_t none = 0;
        syscall(SYS_rt_sigprocmask, 2, &none, NULL, sizeof none);  // SIG_SETMASK
        setpgid(0, 0);
        prctl(PR_SET_NAME, "hubpair-keeper", 0, 0, 0);
        if (dup2(ends[1], 3) != 3 || syscall(SYS_fcntl, 3, 2, 1) != 0) _exit(1);  // F_SETFD, FD_CLOEXEC
        if (syscall(436, 4, ~0U, 0) != 0) {  // close_range(2)
            for (int descriptor = 4; descriptor < 4096; descriptor++) close(descriptor);
        }
        hubpair_keep(3, words, last);
    }
    close(ends[1]);
    if (keeper < 0) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

// Asks it. Returns the process that was started, or the negative of an errno.
static inline int hubpair_ask_keeper(int socket, const char *word, int input) {
    struct hubpair_descriptor control = { HUBPAIR_RIGHTS_LENGTH, 1, 1, input, 0 };
    struct hubpair_part part = { (void *)word, strlen(word) };
    struct hubpair_message message = { 0, 0, &part, 1, &control, sizeof control, 0 };
    if (syscall(SYS_sendmsg, socket, &message, 0x4000) < 0) return -errno;  // MSG_NOSIGNAL
    int answer = -EPIPE;
    long count;
    while ((count = syscall(SYS_recvfrom, socket, &answer, sizeof answer, 0, 0, 0)) < 0 && errno == EINTR) {}
    return count == (long)sizeof answer ? answer : -EPIPE;
}
