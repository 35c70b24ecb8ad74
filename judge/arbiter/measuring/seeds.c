#include "arbiter/measuring/seeds.h"

#include "base/buf.h"
#include "base/config.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECRET_NAME "timing-secret"
#define SECRET_BYTES 32

static int
write_secret(const char *path, struct report *r)
{
    unsigned char secret[SECRET_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int rc = 0;

    random_bytes(secret, sizeof secret);
    if (fd < 0)
        return report_errno(r, "%s cannot be written", path);
    if (write(fd, secret, sizeof secret) != (ssize_t)sizeof secret)
        rc = report_errno(r, "%s cannot be written", path);
    close(fd);
    return rc;
}

/* Two arbiters may be the first: link(2) lets one of them win, whole. */
static int
make_secret(const char *dir, const char *path, struct report *r)
{
    char *scratch = xasprintf("%s/." SECRET_NAME ".%d", dir, (int)getpid());
    int rc = file_mkdirs(dir, r);

    (void)unlink(scratch); /* of a process that was killed here and had our number */
    if (rc == 0)
        rc = write_secret(scratch, r);
    if (rc == 0 && link(scratch, path) != 0 && errno != EEXIST)
        rc = report_errno(r, "%s cannot be written", path);
    (void)unlink(scratch);
    free(scratch);
    return rc;
}

static int
read_secret(const char *dir, struct buf *out, struct report *r)
{
    char *path = xasprintf("%s/" SECRET_NAME, dir);
    int rc = 0;

    if (access(path, F_OK) != 0)
        rc = make_secret(dir, path, r);
    if (rc == 0)
        rc = file_read(path, SECRET_BYTES, out, r);
    if (rc == 0 && out->len != SECRET_BYTES)
        rc = report_fail(r, "%s is damaged: remove it", path);
    free(path);
    return rc;
}

int
seeds_open(struct seeds *s, const char *cache_dir, const char *problem,
           const char *source, struct report *r)
{
    struct buf secret = {0}, text = {0}, all = {0};
    int rc = -1;

    if (read_secret(cache_dir, &secret, r) == 0 &&
        file_read(source, SOURCE_BYTES_MAX, &text, r) == 0) {
        buf_add(&all, buf_str(&secret), secret.len);
        buf_add(&all, problem, strlen(problem) + 1);
        buf_add(&all, buf_str(&text), text.len);
        hash_hex(buf_str(&all), all.len, s->key);
        rc = 0;
    }
    buf_free(&secret);
    buf_free(&text);
    buf_free(&all);
    return rc;
}

uint64_t
seeds_call(const struct seeds *s, int call)
{
    char text[sizeof s->key + 16], hash[65], first[17];

    snprintf(text, sizeof text, "%s %d", s->key, call);
    hash_hex(text, strlen(text), hash);
    snprintf(first, sizeof first, "%.16s", hash);
    return strtoull(first, NULL, 16);
}
