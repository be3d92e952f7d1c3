#define _GNU_SOURCE  // F_OFD_SETLK, pipe2

#include "CLinux.h"

#include <fcntl.h>
#include <sys/prctl.h>

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

int clinux_lock(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int clinux_is_locked(int descriptor) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result = fcntl(descriptor, F_OFD_GETLK, &lock);
    return result < 0 ? result : lock.l_type != F_UNLCK;
}
