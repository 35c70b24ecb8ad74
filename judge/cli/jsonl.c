#include "cli/jsonl.h"

#include "base/json.h"
#include "base/utf8.h"

#include <string.h>

/* How json_parse() begins: the line is a text of one line to it. */
#define FIRST_LINE "it:1: "

int
jsonl_open(struct jsonl *in, const char *path, struct report *r)
{
    *in = (struct jsonl){.path = path};
    in->file = fopen(path, "re");
    return in->file != NULL ? 0 : report_errno(r, "%s cannot be read", path);
}

void
jsonl_close(struct jsonl *in)
{
    if (in->file != NULL)
        fclose(in->file);
    in->file = NULL;
    buf_free(&in->line);
}

/* Reads one line. False at the end of the file. */
static bool
jsonl_read_line(struct jsonl *in)
{
    int c = getc(in->file);

    if (c == EOF)
        return false;
    buf_clear(&in->line);
    in->at = in->after;
    in->len = 0;
    in->number++;
    for (; c != EOF && c != '\n'; c = getc(in->file)) {
        const char byte = (char)c;

        if (in->len++ < JSONL_BYTES_MAX)
            buf_add(&in->line, &byte, 1);
    }
    in->whole = c == '\n';
    in->after = in->at + (off_t)in->len + in->whole;
    return true;
}

int
jsonl_next(struct jsonl *in, struct report *r)
{
    while (jsonl_read_line(in))
        if (strspn(buf_str(&in->line), " \t\r") < in->line.len)
            return 1;
    return ferror(in->file) ? report_errno(r, "%s cannot be read", in->path) : 0;
}

cJSON *
jsonl_parse(const struct jsonl *in, struct report *r)
{
    const char *text = buf_str(&in->line);
    const size_t len = in->line.len, valid = utf8_prefix(text, len);
    struct report why = {0};
    cJSON *object = NULL;

    if (in->len > JSONL_BYTES_MAX)
        report_fail(r, "%s:%ld: the line has %zu bytes, over the limit of %zu", in->path,
                    in->number, in->len, JSONL_BYTES_MAX);
    else if (valid < len)
        report_fail(r, "%s:%ld: the line is not UTF-8 at its byte %zu", in->path,
                    in->number, valid + 1);
    else if (memchr(text, '\0', len) != NULL || json_escapes_nul(text, len))
        report_fail(r, "%s:%ld: the line holds a NUL byte: a source is text", in->path,
                    in->number);
    else if ((object = json_parse(text, len, "it", &why)) == NULL)
        report_fail(r, "%s:%ld: %s", in->path, in->number,
                    strncmp(why.text, FIRST_LINE, sizeof FIRST_LINE - 1) == 0
                        ? why.text + sizeof FIRST_LINE - 1
                        : why.text);
    else if (!cJSON_IsObject(object))
        report_fail(r, "%s:%ld: the line is no JSON object", in->path, in->number);
    if (cJSON_IsObject(object))
        return object;
    cJSON_Delete(object);
    return NULL;
}

long
jsonl_count(const char *path)
{
    FILE *file = fopen(path, "re");
    char bytes[65536], last = '\n';
    long lines = 0;
    size_t n;

    while (file != NULL && (n = fread(bytes, 1, sizeof bytes, file)) > 0) {
        for (const char *at = bytes;
             (at = memchr(at, '\n', n - (size_t)(at - bytes))) != NULL; at++)
            lines++;
        last = bytes[n - 1];
    }
    if (file != NULL)
        fclose(file);
    return lines + (last != '\n');
}
