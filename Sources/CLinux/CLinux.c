#define _GNU_SOURCE  // F_OFD_SETLK, pipe2, ptsname_r, POSIX_SPAWN_SETSID, recvmmsg, in6_pktinfo

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <sys/resource.h>

void clinux_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

int clinux_forbid_core_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int clinux_fcntl(int descriptor, int command, int argument) {
    return fcntl(descriptor, command, argument);
}

int clinux_open(const char *path, int flags, unsigned mode) {
    return open(path, flags, mode);
}

int clinux_openat(int directory, const char *path, int flags, unsigned mode) {
    return openat(directory, path, flags, mode);
}

int clinux_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC);
}

const short clinux_spawn_session = POSIX_SPAWN_SETSID;

static int make_raw(int terminal) {
    struct termios mode;
    struct winsize window = {.ws_row = 50, .ws_col = 1000};
    if (tcgetattr(terminal, &mode) < 0) return -1;
    cfmakeraw(&mode);
    if (tcsetattr(terminal, TCSANOW, &mode) < 0) return -1;
    return ioctl(terminal, TIOCSWINSZ, &window);
}

int clinux_open_terminal(char *path, size_t size) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0) return -1;
    if (grantpt(terminal) == 0 && unlockpt(terminal) == 0 && ptsname_r(terminal, path, size) == 0
        && make_raw(terminal) == 0) {
        return terminal;
    }
    int error = errno;
    close(terminal);
    errno = error;
    return -1;
}

int clinux_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_is_locked(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result = fcntl(descriptor, F_OFD_GETLK, &lock);
    return result < 0 ? result : lock.l_type != F_UNLCK;
}

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

static void point(struct msghdr *message, struct iovec *vector, const struct clinux_datagram *datagram) {
    *vector = (struct iovec){.iov_base = datagram->bytes, .iov_len = datagram->count};
    message->msg_iov = vector;
    message->msg_iovlen = 1;
}

_Static_assert(sizeof(struct clinux_local_address) == sizeof(struct in6_pktinfo), "the same in glibc");

static struct clinux_local_address local_address(struct msghdr *message) {
    struct clinux_local_address here = {0};
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            memcpy(&here, CMSG_DATA(part), sizeof here);
        }
    }
    return here;
}

int clinux_receive_datagrams(int descriptor, struct clinux_datagram *datagrams, int count) {
    struct mmsghdr messages[clinux_datagrams] = {0};
    struct iovec vectors[clinux_datagrams];
    union control controls[clinux_datagrams];
    if (count > clinux_datagrams) count = clinux_datagrams;
    for (int index = 0; index < count; index++) {
        struct msghdr *message = &messages[index].msg_hdr;
        point(message, &vectors[index], &datagrams[index]);
        message->msg_name = &datagrams[index].peer;
        message->msg_namelen = sizeof datagrams[index].peer;
        message->msg_control = &controls[index];
        message->msg_controllen = sizeof controls[index];
    }
    int received = recvmmsg(descriptor, messages, count, MSG_DONTWAIT, NULL);
    for (int index = 0; index < received; index++) {
        struct msghdr *message = &messages[index].msg_hdr;
        datagrams[index].count = messages[index].msg_len + (message->msg_flags & MSG_TRUNC ? 1 : 0);
        datagrams[index].peer_length = message->msg_namelen;
        datagrams[index].here = local_address(message);
    }
    return received;
}

int clinux_send_datagrams(int descriptor, const struct clinux_datagram *datagrams, int count) {
    struct mmsghdr messages[clinux_datagrams] = {0};
    struct iovec vectors[clinux_datagrams];
    union control controls[clinux_datagrams];
    const struct clinux_local_address nowhere = {0};
    if (count > clinux_datagrams) count = clinux_datagrams;
    for (int index = 0; index < count; index++) {
        struct msghdr *message = &messages[index].msg_hdr;
        point(message, &vectors[index], &datagrams[index]);
        if (datagrams[index].peer_length > 0) {
            message->msg_name = (void *)&datagrams[index].peer;
            message->msg_namelen = datagrams[index].peer_length;
        }
        if (memcmp(&datagrams[index].here, &nowhere, sizeof nowhere) == 0) continue;
        message->msg_control = &controls[index];
        message->msg_controllen = sizeof controls[index];
        struct cmsghdr *part = CMSG_FIRSTHDR(message);
        part->cmsg_level = IPPROTO_IPV6;
        part->cmsg_type = IPV6_PKTINFO;
        part->cmsg_len = CMSG_LEN(sizeof nowhere);
        memcpy(CMSG_DATA(part), &datagrams[index].here, sizeof nowhere);
    }
    return sendmmsg(descriptor, messages, count, MSG_DONTWAIT);
}

int clinux_tell_local_addresses(int descriptor) {
    int on = 1;
    return setsockopt(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
}

int clinux_run_in_real_time(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &parameters);
}

/// The thread that RealtimeKit lets run in real time.
static _Atomic pid_t real_time_thread;

/// It has worked for too long: the system would kill the program next.
static void give_way(int signal) {
    (void)signal;
    struct sched_param ordinary = {.sched_priority = 0};
    sched_setscheduler(real_time_thread, SCHED_OTHER, &ordinary);
}

int clinux_prepare_real_time(void) {
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 200000};
    struct sigaction action = {.sa_handler = give_way, .sa_flags = SA_RESTART};
    real_time_thread = (pid_t)syscall(SYS_gettid);
    if (sigaction(SIGXCPU, &action, NULL) < 0 || setrlimit(RLIMIT_RTTIME, &limit) < 0) return -1;
    return real_time_thread;
}
