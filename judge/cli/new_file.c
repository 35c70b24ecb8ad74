#include "cli/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int
new_file_write(const char *path, const void *bytes, size_t len, const char *example,
               struct report *r)
{
    /* O_EXCL makes sure that no existing file is lost, not even in a race. */
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t n;

    if (fd < 0 && errno == EEXIST)
        return report_fail(
            r, "%s is there already, and is left as it is: name another file, as in `%s`",
            path, example);
    if (fd < 0)
        return report_errno(r, "%s cannot be written", path);
    n = write(fd, bytes, len);
    if (n != (ssize_t)len || close(fd) != 0) {
        if (n >= 0)
            errno = ENOSPC;
        report_errno(r, "%s cannot be written", path);
        unlink(path);
        return -1;
    }
    return 0;
}
