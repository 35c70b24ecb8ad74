/* Writes and reads the file of a digest. */
#include "compile/equal.h"

#include "base/buf.h"
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX 256

bool
digest_is_valid(const char *hex)
{
    return strlen(hex) == 64 && strspn(hex, "0123456789abcdef") == 64;
}

int
digest_write(const char *path, const struct digest *d, struct report *r)
{
    struct buf text = {0};
    int rc;

    if (d->size > 0)
        buf_printf(&text, "%s %lld\n", d->hex, (long long)d->size);
    rc = file_write(path, buf_str(&text), text.len, r);
    buf_free(&text);
    return rc;
}

static bool
digest_parse(const char *text, struct digest *out)
{
    struct digest d = {0};
    char *end;

    if (strlen(text) < sizeof d.hex || text[sizeof d.hex - 1] != ' ')
        return false;
    memcpy(d.hex, text, sizeof d.hex - 1);
    errno = 0;
    d.size = strtoll(text + sizeof d.hex, &end, 10);
    if (errno != 0 || strcmp(end, "\n") != 0 || d.size <= 0 || !digest_is_valid(d.hex))
        return false;
    *out = d;
    return true;
}

int
digest_read(const char *path, struct digest *out, struct report *r)
{
    struct buf text = {0};
    struct digest d = {0};
    int rc = file_read(path, FILE_BYTES_MAX, &text, r);

    if (rc == 0 && text.len > 0 && !digest_parse(buf_str(&text), &d))
        rc = report_fail(r, "%s is no digest", path);
    if (rc == 0)
        *out = d;
    buf_free(&text);
    return rc;
}
