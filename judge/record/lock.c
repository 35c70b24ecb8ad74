#include "record/lock.h"

#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int
lock_home(const char *home, struct report *r)
{
    char *path = xasprintf("%s/warpjudge.lock", home);
    char holder[32] = "";
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

    if (fd < 0) {
        report_errno(
            r,
            "%s cannot be written (the folder must be writable by the user who runs "
            "the judge; WARPJUDGE_HOME names another)",
            path);
    } else if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        ssize_t n = read(fd, holder, sizeof holder - 1);

        holder[n > 0 ? n : 0] = '\0';
        holder[strcspn(holder, "\n")] = '\0';
        report_fail(r,
                    "another warpjudged (process %s) already serves %s: stop it, or set "
                    "WARPJUDGE_HOME to another folder",
                    holder[0] != '\0' ? holder : "unknown", home);
        close(fd);
        fd = -1;
    } else if (ftruncate(fd, 0) != 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0) {
        report_errno(r, "%s cannot be written", path);
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}
