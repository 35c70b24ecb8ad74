/* Asks glibc and the kernel what program runs. */
#include "base/own_program.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
own_program_name(void)
{
    return program_invocation_short_name;
}

char *
own_program_path(struct report *r)
{
    char self[PATH_MAX], *copy;
    const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    if (len < 0) {
        report_errno(r, "/proc/self/exe cannot be read");
        return NULL;
    }
    self[len] = '\0';
    copy = strdup(self);
    if (copy == NULL)
        report_fail(r, "out of memory");
    return copy;
}
