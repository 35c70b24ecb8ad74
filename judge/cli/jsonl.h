/* Reads files of JSON lines, of any length: one object in each line, which a newline
 * ends. */
#ifndef CLI_JSONL_H
#define CLI_JSONL_H

#include "base/buf.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* A source of SOURCE_BYTES_MAX may be six times as long in JSON, where each character is
 * escaped as \u0020. */
#define JSONL_BYTES_MAX ((size_t)8 << 20)

struct jsonl {
    FILE *file;
    const char *path;
    long number;     /* of the current line, from 1 */
    off_t at, after; /* where it begins, and where the next one does */
    size_t len;      /* its bytes, without the newline */
    bool whole;      /* a newline ends it */
    struct buf line; /* its bytes, or the first JSONL_BYTES_MAX of them */
};

/* `path` must live as long as the reader. jsonl_close() closes it, also where it was
 * never opened. */
int jsonl_open(struct jsonl *in, const char *path, struct report *r);
void jsonl_close(struct jsonl *in);

/* Goes to the next line that is not blank: 1. 0 at the end of the file, and -1 where it
 * cannot be read. */
int jsonl_next(struct jsonl *in, struct report *r);

/* Parses the current line. NULL, and a report that begins with PATH:LINE, where it is no
 * JSON object in UTF-8 without NUL bytes, or too long. The caller deletes the object. */
cJSON *jsonl_parse(const struct jsonl *in, struct report *r);

/* How many lines the file has; 0 where it cannot be read. */
long jsonl_count(const char *path);

#endif
