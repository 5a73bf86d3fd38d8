#include <sys/types.h>
#include <unistd.h>
#include <zbar.h>

/* Swift does not import fork(2). */
static inline pid_t hubpair_fork(void) { return fork(); }
