// A clock for one process that a test can set at any moment: preloaded, it adds to the time of day what stands in the
// file $HUBPAIR_TEST_CLOCK, 8 bytes, in nanoseconds. What measures spans of time is as it was.
//
// libfaketime does the same, but changes the environment, and then a Swift program does not find its arguments.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long long *ahead;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("HUBPAIR_TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) abort();
    ahead = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (ahead == MAP_FAILED) abort();
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        long long whole = time->tv_sec * 1000000000LL + time->tv_nsec + *ahead;
        time->tv_sec = whole / 1000000000LL;
        time->tv_nsec = whole % 1000000000LL;
    }
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
