/* Loads the shared object whose solve() is called. */
#include "runner/load.h"

#include "runner/protocol.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 40

/* Gives the file a descriptor number that was never used before. Its only name is that
 * number, and glibc would take a known name for the library that it has already loaded.
 */
static int
name_anew(int fd)
{
    static int never_used = RUNNER_GPU_FD + 1;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, never_used);

    if (moved >= 0)
        never_used = moved + 1;
    return moved;
}

/* Copies dlerror()'s words without our name for the file, which means nothing to a
 * user. */
static void
explain_dlopen(const char *path, char *text, size_t text_size)
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
            explain_dlopen(path, text, text_size);
        close(named);
    }
    if (fd >= 0)
        close(fd);
    return guest;
}
