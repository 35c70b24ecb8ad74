/* Reads and writes files, and reads clocks. file_linux.c has the rest of the header. */
#include "base/file.h"

#include "base/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JUMP_MS INT64_C(86400000) /* how far fault injection moves a clock: a day */

static int
file_read_all(int fd, const char *path, size_t max, struct buf *out, struct report *r)
{
    char chunk[65536];
    ssize_t n;

    buf_clear(out);
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return report_errno(r, "%s cannot be read", path);
        }
        if (out->len + (size_t)n > max)
            return report_fail(r, "%s is larger than the limit of %zu bytes", path, max);
        buf_add(out, chunk, (size_t)n);
    }
    return 0;
}

int
file_read(const char *path, size_t max, struct buf *out, struct report *r)
{
    struct stat st;
    int rc;
    /* O_NONBLOCK, because opening a FIFO must not wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0)
        return report_errno(r, "%s cannot be opened", path);
    if (fstat(fd, &st) != 0)
        rc = report_errno(r, "%s", path);
    else if (S_ISDIR(st.st_mode))
        rc = report_fail(r, "%s is a folder, not a file", path);
    else if (!S_ISREG(st.st_mode))
        rc = report_fail(r, "%s is not a regular file", path);
    else if ((uintmax_t)st.st_size > max)
        rc = report_fail(r, "%s is %jd bytes, over the limit of %zu bytes", path,
                         (intmax_t)st.st_size, max);
    else
        rc = file_read_all(fd, path, max, out, r);
    close(fd);
    return rc;
}

static int
write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

int
file_write(const char *path, const void *bytes, size_t len, struct report *r)
{
    char *tmp = xasprintf("%s.tmp", path);
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int rc = fd >= 0 ? 0 : -1;

    if (rc == 0)
        rc = write_all(fd, bytes, len);
    if (fd >= 0 && close(fd) != 0)
        rc = -1;
    if (rc == 0)
        rc = rename(tmp, path);
    if (rc != 0) {
        report_errno(r, "%s cannot be written", path);
        if (fd >= 0)
            unlink(tmp);
    }
    free(tmp);
    return rc;
}

int
file_mkdirs(const char *path, struct report *r)
{
    char *copy = xstrdup(path);
    int rc = 0;

    for (char *p = copy + 1; rc == 0; p++) {
        char c = *p;

        if (c != '/' && c != '\0')
            continue;
        *p = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            rc = report_errno(r, "the folder %s cannot be made", copy);
        *p = c;
        if (c == '\0')
            break;
    }
    free(copy);
    return rc;
}

static uint64_t
read_ns(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int64_t
now_ms(void)
{
    static int64_t jumped_ms;

    if (inject(INJECT_CLOCK_BACK))
        jumped_ms -= JUMP_MS;
    if (inject(INJECT_CLOCK_FORWARD))
        jumped_ms += JUMP_MS;
    return (int64_t)(read_ns(CLOCK_REALTIME) / 1000000u) + jumped_ms;
}

uint64_t
now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}
