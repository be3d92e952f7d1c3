// The parts of Linux's interface that Swift's Glibc module does not show: whole headers that it
// leaves out, functions behind _GNU_SOURCE, and macros that are not plain numbers.

#ifndef CLINUX_H
#define CLINUX_H

#include <arpa/inet.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/l2cap.h>
#include <ifaddrs.h>
#include <linux/input.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

/// accept4(2), which glibc declares under _GNU_SOURCE only.
static inline int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return (int)syscall(SYS_accept4, descriptor, address, length, flags);
}

/// TIOCGWINSZ: the terminal's size. ioctl is variadic, which Swift cannot call.
static inline int clinux_window_size(int descriptor, struct winsize *size) {
    return ioctl(descriptor, TIOCGWINSZ, size);
}

/// fcntl with an int argument. fcntl is variadic, which Swift cannot call.
int clinux_fcntl(int descriptor, int command, int argument);

/// PR_SET_DUMPABLE 0. prctl is variadic, which Swift cannot call.
int clinux_forbid_core_dumps(void);

/// PR_SET_NAME: the calling thread's name, cut to 15 bytes. prctl is variadic, which Swift cannot call.
void clinux_name_thread(const char *name);

/// open with a mode. open is variadic, which Swift cannot call.
int clinux_open(const char *path, int flags, unsigned mode);

/// openat with a mode. openat is variadic, which Swift cannot call.
int clinux_openat(int directory, const char *path, int flags, unsigned mode);

/// F_OFD_SETLK: a lock for writing on the whole file, held by this open file description alone.
/// fcntl is variadic, which Swift cannot call.
int clinux_lock(int descriptor);

/// F_OFD_GETLK: 1 where somebody else holds such a lock, 0 where nobody does, -1 on an error.
int clinux_is_locked(int descriptor);

/// pidfd_open(2), which Debian 12's glibc has no function for: a descriptor that is readable once
/// the process has ended.
static inline int clinux_open_process(int process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

/// pipe2(2), which glibc declares under _GNU_SOURCE only: both ends close-on-exec.
int clinux_pipe(int ends[2]);

/// A new pseudo-terminal (pty(7)), close-on-exec, whose other end is at `path`: that passes on each byte
/// as it is and says of itself that it is very wide, so that nobody wraps lines for it.
int clinux_open_terminal(char *path, size_t size);

/// POSIX_SPAWN_SETSID, which glibc declares under _GNU_SOURCE only: the child begins a session.
extern const short clinux_spawn_session;

/// One of this machine's addresses and the interface that a datagram came by.
struct clinux_local_address {
    struct in6_addr address;
    unsigned interface;
};

/// A datagram, as recvmmsg(2) and sendmmsg(2) have it, which glibc declares under _GNU_SOURCE only.
struct clinux_datagram {
    /// Where its bytes are, or are to be.
    void *bytes;
    /// How many there are, or is room for; of one that was longer one more than there was room for.
    size_t count;
    /// Where it comes from or goes to.
    struct sockaddr_in6 peer;
    socklen_t peer_length;
    /// Which of this machine's addresses it came to, or is sent from (struct in6_pktinfo, RFC 3542, section 6, which
    /// glibc declares under _GNU_SOURCE only); all zero where nobody knows.
    struct clinux_local_address here;
};

/// How many datagrams go with one call at most.
enum { clinux_datagrams = 64 };

/// Takes datagrams that wait.
int clinux_receive_datagrams(int descriptor, struct clinux_datagram *datagrams, int count);

/// Sends datagrams, and returns how many went.
int clinux_send_datagrams(int descriptor, const struct clinux_datagram *datagrams, int count);

/// IPV6_RECVPKTINFO, which is behind _GNU_SOURCE: each datagram says to which address it came.
int clinux_tell_local_addresses(int descriptor);

/// SCHED_RR with this priority for the calling thread, not inherited by what it starts.
int clinux_run_in_real_time(int priority);

/// What RealtimeKit asks of who is to run in real time: the calling thread's number, or -1. The program gets a limit of 0.1 s of
/// work at a time (RLIMIT_RTTIME, getrlimit(2)); whoever works for longer is an ordinary thread again.
int clinux_prepare_real_time(void);

/// sysexits and errno are plain numbers; these are not.
static const unsigned clinux_epoll_in = EPOLLIN;
static const unsigned clinux_epoll_out = EPOLLOUT;
static const unsigned clinux_epoll_error = EPOLLERR;
static const unsigned clinux_epoll_hang_up = EPOLLHUP;
static const unsigned clinux_epoll_read_hang_up = EPOLLRDHUP;

#endif
