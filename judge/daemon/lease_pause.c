#include "daemon/lease_pause.h"

#include "base/buf.h"
#include "base/file.h"
#include "record/artefact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PAUSE_NS UINT64_C(2000000000)

void
lease_pause_begin(struct lease_pause *p, const struct report *why)
{
    p->until_ns = now_ns() + PAUSE_NS;
    p->why = *why;
}

/* Takes as many bytes of the disk as an artefact may have, and gives them back. */
static int
pause_look_at_disk(const char *jobs, struct report *r)
{
    char *path = xasprintf("%s/room", jobs);
    int fd = -1, rc = file_mkdirs(jobs, r);

    if (rc == 0) {
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0)
            rc = report_errno(r, "%s cannot be written", path);
    }
    if (rc == 0) {
        errno = posix_fallocate(fd, 0, (off_t)ARTEFACT_TEXT_MAX);
        if (errno != 0)
            rc = report_errno(r, "%s has no room for what a worker compiles", jobs);
    }
    if (fd >= 0) {
        close(fd);
        unlink(path);
    }
    free(path);
    return rc;
}

bool
lease_pause_lasts(struct lease_pause *p, const char *jobs)
{
    struct report r = {0};

    if (p->until_ns == 0)
        return false;
    if (now_ns() < p->until_ns)
        return true;
    if (pause_look_at_disk(jobs, &r) != 0) {
        lease_pause_begin(p, &r);
        return true;
    }
    *p = (struct lease_pause){0};
    return false;
}
