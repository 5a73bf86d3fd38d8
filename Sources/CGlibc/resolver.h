#include <arpa/nameser.h>
#include <netdb.h>
#include <resolv.h>
#include <string.h>

// One question of class IN through the system's resolver (resolv.conf(5): servers, attempts, options), with TCP where
// the answer does not fit a datagram. No search list. Returns the length of the answer, which may be more than `size`;
// -1 and an h_errno in `fault`: HOST_NOT_FOUND, NO_DATA, TRY_AGAIN (nobody answers), NO_RECOVERY (refused).
// A try waits `patience` seconds at most. Any thread may call it: it has a state of its own.
static inline int hubpair_resolve(
    const char *name, int type, int patience, unsigned char *answer, int size, int *fault) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    *fault = NO_RECOVERY;
    if (res_ninit(&state) != 0) return -1;
    // A larger datagram (RFC 6891) spares most answers the way over TCP.
    state.options |= RES_USE_EDNS0;
    if (state.retrans > patience) state.retrans = patience;
    int length = res_nquery(&state, name, ns_c_in, type, answer, size);
    *fault = state.res_h_errno;
    res_nclose(&state);
    return length;
}
