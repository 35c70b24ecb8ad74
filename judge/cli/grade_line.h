/* One line of the input of `grade` (docs/grading.md). */
#ifndef CLI_GRADE_LINE_H
#define CLI_GRADE_LINE_H

#include "base/report.h"
#include "cli/jsonl.h"
#include "record/job.h"

#include <cjson/cJSON.h>

#define GRADE_ID_BYTES_MAX 256
#define GRADE_TAGS_MAX 32
#define GRADE_TAG_BYTES_MAX 100

struct grade_line {
    long number; /* of the line, from 1 */
    char *id;
    char *problem;
    char *source;
    char seed[SEED_DIGITS + 1]; /* empty: the judge draws one */
    cJSON *tags;                /* an array of strings; NULL: there are none */
};

/* Reads the current line of a file. After a failure, whose report begins with FILE:LINE,
 * the id is there where it is known. The caller calls grade_line_free() in any case. */
int grade_line_read(const struct jsonl *in, struct grade_line *out, struct report *r);
void grade_line_free(struct grade_line *line);

#endif
