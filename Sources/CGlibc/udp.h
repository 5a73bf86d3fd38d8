#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// The way of one UDP datagram: whom it is from or for, and by which interface and address of this machine.
struct hubpair_path {
    int family;               // AF_INET or AF_INET6
    unsigned interface;       // the kernel's index; 0: unknown, or for the routes to decide
    unsigned short port;      // the peer's, in the machine's byte order
    unsigned char peer[16];   // 4 or 16 bytes
    unsigned char local[16];  // this machine's own; zeros: unknown, or for the system to decide
    long long waited;         // how long a received one has waited to be read, in ns; 0: unknown
};

// glibc shows struct in6_pktinfo only with _GNU_SOURCE, which Swift does not define (RFC 3542 § 6).
struct hubpair_in6_pktinfo {
    struct in6_addr address;
    unsigned interface;
};

// recvmsg(2) with what IP_PKTINFO, IPV6_RECVPKTINFO and SO_TIMESTAMPNS tell: CMSG_* are macros, which Swift does
// not import. Returns the datagram's whole length, also if only the first `size` bytes found room; -1 and errno.
static inline ssize_t hubpair_receive(int descriptor, void *bytes, size_t size, struct hubpair_path *path) {
    struct sockaddr_storage source;
    union { char bytes[256]; struct cmsghdr header; } control;
    struct iovec part = { bytes, size };
    struct msghdr message = { &source, sizeof source, &part, 1, &control, sizeof control, 0 };
    memset(path, 0, sizeof *path);
    memset(&source, 0, sizeof source);
    ssize_t length = recvmsg(descriptor, &message, MSG_TRUNC | MSG_DONTWAIT);
    if (length < 0) return length;
    path->family = source.ss_family;
    if (source.ss_family == AF_INET) {
        struct sockaddr_in *from = (struct sockaddr_in *)&source;
        path->port = ntohs(from->sin_port);
        memcpy(path->peer, &from->sin_addr, 4);
    } else if (source.ss_family == AF_INET6) {
        struct sockaddr_in6 *from = (struct sockaddr_in6 *)&source;
        path->port = ntohs(from->sin6_port);
        path->interface = from->sin6_scope_id;
        memcpy(path->peer, &from->sin6_addr, 16);
    }
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level == IPPROTO_IP && item->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(item), sizeof info);
            path->interface = (unsigned)info.ipi_ifindex;
            memcpy(path->local, &info.ipi_spec_dst, 4);
        } else if (item->cmsg_level == IPPROTO_IPV6 && item->cmsg_type == IPV6_PKTINFO) {
            struct hubpair_in6_pktinfo info;
            memcpy(&info, CMSG_DATA(item), sizeof info);
            path->interface = info.interface;
            // Nobody answers from a group's address.
            if (!IN6_IS_ADDR_MULTICAST(&info.address)) memcpy(path->local, &info.address, 16);
        } else if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec came, now;
            memcpy(&came, CMSG_DATA(item), sizeof came);
            clock_gettime(CLOCK_REALTIME, &now);
            long long waited = (now.tv_sec - came.tv_sec) * 1000000000LL + (now.tv_nsec - came.tv_nsec);
            // The clock may have been set meanwhile.
            path->waited = waited > 0 ? waited : 0;
        }
    }
    return length;
}

// sendmsg(2) by the interface and from the address that the path names. Returns 0 or an errno.
static inline int hubpair_send(int descriptor, const void *bytes, size_t size, const struct hubpair_path *path) {
    struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(path->port) };
    struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(path->port) };
    union { char bytes[64]; struct cmsghdr header; } control;
    struct iovec part = { (void *)bytes, size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control };
    struct cmsghdr *item = &control.header;
    memset(&control, 0, sizeof control);
    if (path->family == AF_INET) {
        struct in_pktinfo info = { .ipi_ifindex = (int)path->interface };
        memcpy(&to4.sin_addr, path->peer, 4);
        memcpy(&info.ipi_spec_dst, path->local, 4);
        message.msg_name = &to4;
        message.msg_namelen = sizeof to4;
        message.msg_controllen = CMSG_SPACE(sizeof info);
        item->cmsg_level = IPPROTO_IP;
        item->cmsg_type = IP_PKTINFO;
        item->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(item), &info, sizeof info);
    } else {
        struct hubpair_in6_pktinfo info = { .interface = path->interface };
        memcpy(&to6.sin6_addr, path->peer, 16);
        memcpy(&info.address, path->local, 16);
        to6.sin6_scope_id = path->interface;
        message.msg_name = &to6;
        message.msg_namelen = sizeof to6;
        message.msg_controllen = CMSG_SPACE(sizeof info);
        item->cmsg_level = IPPROTO_IPV6;
        item->cmsg_type = IPV6_PKTINFO;
        item->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(item), &info, sizeof info);
    }
    return sendmsg(descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}
