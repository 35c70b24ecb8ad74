#include "arbiter/calling/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)1 << 30)
#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

static bool
copy_all(int to, int from)
{
    ssize_t n;

    do
        n = sendfile(to, from, NULL, CHUNK_BYTES);
    while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0;
}

int
sealed_copy(const char *path, struct report *r)
{
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = -1;

    if (from < 0)
        return report_errno(r, "%s cannot be read", path);
    to = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (to < 0 || !copy_all(to, from) || fcntl(to, F_ADD_SEALS, SEALS) != 0) {
        report_errno(r, "no copy of %s can be made", path);
        if (to >= 0)
            close(to);
        to = -1;
    }
    close(from);
    return to;
}
