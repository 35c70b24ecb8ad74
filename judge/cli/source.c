/* Reads the user's file, checks its text, and looks for the comment that names its
 * problem. */
#include "cli/source.h"

#include "base/config.h"
#include "base/file.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMENT_LINES 50
#define NAMED_BYTES_MAX 100

/* The place of a byte as an editor shows it. Lines and columns count from 1, columns in
 * bytes. */
static void
source_place(const char *text, size_t offset, size_t *line, size_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < offset; i++) {
        ++*column;
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

int
source_check_text(const char *path, const char *text, size_t len, struct report *r)
{
    const char *nul = memchr(text, '\0', len);
    size_t valid = utf8_prefix(text, len);
    size_t line, column;

    if (len >= 2 &&
        (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return report_fail(r, "%s is UTF-16: save it as UTF-8", path);
    if (nul != NULL && (size_t)(nul - text) < valid) {
        source_place(text, (size_t)(nul - text), &line, &column);
        return report_fail(r,
                           "%s:%zu:%zu: a NUL byte: this is not a CUDA source file, or "
                           "it was damaged",
                           path, line, column);
    }
    if (valid < len) {
        source_place(text, valid, &line, &column);
        return report_fail(r,
                           "%s:%zu:%zu: the byte 0x%02x (offset %zu) is not UTF-8: save "
                           "the file as UTF-8",
                           path, line, column, (unsigned)(unsigned char)text[valid],
                           valid);
    }
    return 0;
}

static const char *
source_skip(const char *at, const char *end, const char *set)
{
    while (at < end && strchr(set, *at) != NULL && *at != '\0')
        at++;
    return at;
}

/* The name after `warpjudge:` in a line that begins with a comment. NULL where the line
 * has no such comment. A name may be empty. */
static const char *
named_in_line(const char *line, const char *end, size_t *len)
{
    static const char tag[] = "warpjudge:";
    const char *at = source_skip(line, end, " \t"), *name;

    if (end - at < 2 || (memcmp(at, "//", 2) != 0 && memcmp(at, "/*", 2) != 0 &&
                         memcmp(at, "* ", 2) != 0))
        return NULL;
    at = source_skip(source_skip(at, end, "/*"), end, " \t");
    if ((size_t)(end - at) < sizeof tag - 1 || memcmp(at, tag, sizeof tag - 1) != 0)
        return NULL;
    name = source_skip(at + sizeof tag - 1, end, " \t");
    for (at = name;
         at < end && (isalnum((unsigned char)*at) || *at == '-' || *at == '_');)
        at++;
    *len = (size_t)(at - name);
    return name;
}

int
source_find_problem(const char *path, const char *text, size_t len, char **out,
                    struct report *r)
{
    const char *at = text, *end = text + len;
    char *found = NULL;
    int found_line = 0;

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (int line = 1; line <= COMMENT_LINES && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t name_len = 0;
        const char *name = named_in_line(at, stop != NULL ? stop : end, &name_len);

        at = stop != NULL ? stop + 1 : end;
        if (name == NULL)
            continue;
        if (name_len == 0 || name_len > NAMED_BYTES_MAX) {
            report_fail(r,
                        "%s:%d: this `warpjudge:` comment names no problem: write it as "
                        "in `// warpjudge: vector-addition`",
                        path, line);
            goto failed;
        }
        if (found == NULL) {
            found = xasprintf("%.*s", (int)name_len, name);
            found_line = line;
        } else if (strlen(found) != name_len || memcmp(found, name, name_len) != 0) {
            report_fail(r,
                        "%s names two problems, %s in line %d and %.*s in line %d: "
                        "keep one",
                        path, found, found_line, (int)name_len, name, line);
            goto failed;
        }
    }
    *out = found;
    return 0;
failed:
    free(found);
    return -1;
}

/* Reads the standard input to its end. */
static int
source_read_input(struct buf *out, struct report *r)
{
    char bytes[16384];
    ssize_t n;

    do {
        n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n > 0)
            buf_add(out, bytes, (size_t)n);
        if (out->len > SOURCE_BYTES_MAX)
            return report_fail(r, "the standard input has more than %zu bytes",
                               SOURCE_BYTES_MAX);
    } while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0 ? 0 : report_errno(r, "the standard input cannot be read");
}

char *
source_slug_of_name(const char *name)
{
    const size_t len = strlen(name);
    const size_t stem = len > 3 && strcmp(name + len - 3, ".cu") == 0 ? len - 3 : 0;

    if (stem == 0 || stem > NAMED_BYTES_MAX ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != stem)
        return NULL;
    return xasprintf("%.*s", (int)stem, name);
}

int
source_load(const char *path, struct source *out, struct report *r)
{
    const char *slash = strrchr(path, '/');

    *out = (struct source){.path = path, .name = slash != NULL ? slash + 1 : path};
    if (strcmp(path, "-") == 0) {
        path = out->path = "standard input";
        out->name = "stdin.cu";
        if (source_read_input(&out->text, r) != 0)
            return -1;
    } else if (file_read(path, SOURCE_BYTES_MAX, &out->text, r) != 0) {
        return -1;
    }
    if (out->text.len == 0)
        return report_fail(r, "%s is empty: `warpjudge init SLUG` writes a starter",
                           path);
    if (source_check_text(path, out->text.data, out->text.len, r) != 0)
        return -1;
    return source_find_problem(path, out->text.data, out->text.len, &out->problem, r);
}

void
source_free(struct source *s)
{
    buf_free(&s->text);
    free(s->problem);
    *s = (struct source){0};
}
