// A program that has loaded its libraries makes copies of itself for another one, which is their parent: it waits for
// them and is told how they end.
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

union hubpair_two_files {
    struct cmsghdr head;
    char room[CMSG_SPACE(2 * sizeof(int))];
};

// Asks for a copy with these two descriptors as 0 and 1. Returns the process, or less than 1.
static inline pid_t hubpair_ask_for_copy(int socket, const int files[2]) {
    union hubpair_two_files control;
    memset(&control, 0, sizeof control);
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(&control.head), files, 2 * sizeof(int));
    char byte = 0;
    struct iovec part = { &byte, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
    if (sendmsg(socket, &message, MSG_NOSIGNAL) != 1) return -1;
    pid_t process = -1;
    ssize_t count;
    while ((count = recv(socket, &process, sizeof process, 0)) < 0 && errno == EINTR) {}
    return count == sizeof process ? process : -1;
}

// Serves such questions from descriptor 0, and returns only in the copies. Each is a child of the parent of this
// process, and dies with it. Only for a process of one thread: the C library is not told of the copy.
static inline void hubpair_copy_on_demand(void) {
    pid_t parent = getppid();
    for (;;) {
        union hubpair_two_files control;
        char byte;
        struct iovec part = { &byte, 1 };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
        ssize_t count = recvmsg(0, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR) continue;
        if (count < 1) _exit(0);
        struct cmsghdr *item = CMSG_FIRSTHDR(&message);
        if (item == NULL || item->cmsg_type != SCM_RIGHTS || item->cmsg_len != CMSG_LEN(2 * sizeof(int))) _exit(1);
        int files[2];
        memcpy(files, CMSG_DATA(item), sizeof files);
        pid_t copy = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (copy == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            // They are above 2, which are open.
            if (getppid() != parent || dup2(files[0], 0) < 0 || dup2(files[1], 1) < 0) _exit(1);
            close(files[0]);
            close(files[1]);
            return;
        }
        close(files[0]);
        close(files[1]);
        if (send(0, &copy, sizeof copy, MSG_NOSIGNAL) < 0) _exit(0);
    }
}
