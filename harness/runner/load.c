#include "runner/load.h"

#include "runner/protocol.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 40

/* glibc takes a library of a name that it knows for the one that it has loaded, and the
 * only name that these have is their descriptor's number: so no number is used twice. */
static int
name_anew(int fd)
{
    static int never_used = RUNNER_GPU_FD + 1;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, never_used);

    if (moved >= 0)
        never_used = moved + 1;
    return moved;
}

/* dlerror()'s words; our name for the file tells nobody anything. */
static void
explain(const char *path, char *text, size_t text_size)
{
    const char *why = dlerror();
    const size_t len = strlen(path);

    if (why != NULL && strncmp(why, path, len) == 0 && strncmp(why + len, ": ", 2) == 0)
        why += len + 2;
    snprintf(text, text_size, "%s", why != NULL ? why : "no reason is known");
}

const struct runner_guest *
load_guest(int fd, char *text, size_t text_size)
{
    const int named = name_anew(fd);
    const struct runner_guest *guest = NULL;
    char path[PATH_BYTES];
    void *library;

    if (named < 0) {
        snprintf(text, text_size, "its descriptor: %s", strerror(errno));
    } else {
        snprintf(path, sizeof path, "/proc/self/fd/%d", named);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL)
            guest = dlsym(library, RUNNER_GUEST_NAME);
        if (guest == NULL)
            explain(path, text, text_size);
        close(named);
    }
    if (fd >= 0)
        close(fd);
    return guest;
}
