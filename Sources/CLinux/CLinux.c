#define _GNU_SOURCE  // F_OFD_SETLK, pipe2, ptsname_r, POSIX_SPAWN_SETSID

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <termios.h>

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
