/* Copies and removes files, hashes, and asks the kernel for random bytes and for how long
 * it slept. The command line alone (`make client`) goes without: this needs Linux, and
 * libmd. */
#include "base/file.h"

#include "base/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_NS UINT64_C(86400000000000) /* by fault injection: a day */

int
file_copy_bytes(const char *from, const char *to, struct report *r)
{
    struct stat st;
    off_t left;
    int rc = -1;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = -1;

    if (in < 0 || fstat(in, &st) != 0) {
        report_errno(r, "%s cannot be read", from);
        goto done;
    }
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, st.st_mode & 0777);
    if (out < 0) {
        report_errno(r, "%s cannot be written", to);
        goto done;
    }
    for (left = st.st_size; left > 0;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);

        if (n < 0) {
            report_errno(r, "%s cannot be copied to %s", from, to);
            goto done;
        }
        if (n == 0) {
            report_fail(r, "%s became shorter while it was copied", from);
            goto done;
        }
        left -= n;
    }
    rc = 0;
done:
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && rc == 0)
        rc = report_errno(r, "%s cannot be written", to);
    return rc;
}

int
file_copy(const char *from, const char *to, struct report *r)
{
    if (unlink(to) != 0 && errno != ENOENT)
        return report_errno(r, "%s cannot be replaced", to);
    if (link(from, to) == 0)
        return 0;
    return file_copy_bytes(from, to, r);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int
file_remove_tree(const char *path, struct report *r)
{
    if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0 &&
        errno != ENOENT)
        return report_errno(r, "%s cannot be removed", path);
    return 0;
}

void
hash_hex(const void *bytes, size_t len, char out[65])
{
    SHA256Data(bytes, len, out);
}

uint64_t
slept_ns(void)
{
    /* The clocks are read in this order so that an interruption between the two makes the
     * difference smaller. */
    struct timespec boot;
    const int rc = clock_gettime(CLOCK_BOOTTIME, &boot);
    const uint64_t without = now_ns();
    const uint64_t with_sleep =
        rc == 0 ? (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec : 0;
    static uint64_t injected_ns;

    if (inject(INJECT_SLEEP))
        injected_ns += SLEEP_NS;
    return injected_ns + (with_sleep > without ? with_sleep - without : 0);
}

void
random_bytes(void *out, size_t len)
{
    char *p = out;

    while (len > 0) {
        ssize_t n = getrandom(p, len, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            die(4, "the kernel gives no random bytes: %s", strerror(errno));
        p += n;
        len -= (size_t)n;
    }
}
