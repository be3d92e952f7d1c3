#include "CLinux.h"

#include <fcntl.h>

int clinux_fcntl(int descriptor, int command, int argument) {
    return fcntl(descriptor, command, argument);
}

int clinux_open(const char *path, int flags, unsigned mode) {
    return open(path, flags, mode);
}
