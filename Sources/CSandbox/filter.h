// The steps of a filter of system calls (seccomp(2)), and what Landlock is told (landlock(7)).
#pragma once
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define HUBPAIR_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define HUBPAIR_AUDIT_ARCH AUDIT_ARCH_AARCH64
#else
#error "the numbers of this processor's system calls are not known here"
#endif

struct hubpair_filter { struct sock_filter steps[256]; unsigned short count; };

static inline void hubpair_step(struct hubpair_filter *filter, unsigned short code, uint32_t value, uint8_t yes, uint8_t no) {
    struct sock_filter step = { code, yes, no, value };
    filter->steps[filter->count++] = step;
}

#define HUBPAIR_RETURN(action) hubpair_step(filter, BPF_RET | BPF_K, action, 0, 0)

// Ends a process of another architecture, whose calls have other numbers; then looks at the call.
static inline void hubpair_begin(struct hubpair_filter *filter) {
    filter->count = 0;
    hubpair_step(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    hubpair_step(filter, BPF_JMP | BPF_JEQ | BPF_K, HUBPAIR_AUDIT_ARCH, 1, 0);
    HUBPAIR_RETURN(SECCOMP_RET_KILL_PROCESS);
    hubpair_step(filter, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

// The low half of an argument; both processors are little-endian.
static inline void hubpair_load_argument(struct hubpair_filter *filter, int number) {
    hubpair_step(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)number), 0, 0);
}

// landlock(7) by its numbers: the kernel's headers may be older than the kernel.
struct hubpair_landlock_ruleset { uint64_t files, network, scopes; };
struct hubpair_landlock_path { uint64_t files; int32_t parent; } __attribute__((packed));
enum { HUBPAIR_FILES_EXECUTE = 1 << 0, HUBPAIR_FILES_READ = 1 << 2, HUBPAIR_FILES_LIST = 1 << 3 };
