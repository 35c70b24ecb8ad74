/*
 * The file that `grade` writes: a line for each line of its input (docs/grading.md), in
 * the order in which they are done. Each is written by one call, and what a full disk or
 * a kill has left of one is cut off. So the file always begins with whole lines, and says
 * by itself what is done.
 */
#ifndef CLI_GRADE_OUTPUT_H
#define CLI_GRADE_OUTPUT_H

#include "base/report.h"
#include "cli/grade_known.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <sys/types.h>

#define RUN_DIGITS 16
#define STAGE_NAME_BYTES 8

struct grade_output {
    const char *path;
    int fd;
    off_t end; /* behind the last whole line */
    char
        run[RUN_DIGITS + 1]; /* a random name of the run, also of those that resumed it */
    struct known_set ids;    /* of lines that were judged */
    struct known_set failures;    /* how often a line was: judge_error, or cancelled */
    struct known_set errors;      /* numbers of lines of the input that are wrong */
    struct known_set keys;        /* of what was judged, with the place of the line */
    char stage[STAGE_NAME_BYTES]; /* of the last line that was accepted, which is the last
                                     stage of its run; empty: none was */
};

/* Makes the file, which must not be there, or goes on with it. `path` must live as long.
 * Only one process may write it. */
int grade_output_open(struct grade_output *out, const char *path, bool resume,
                      struct report *r);
void grade_output_close(struct grade_output *out);

bool grade_output_has_id(const struct grade_output *out, const char *id);
bool grade_output_has_error(const struct grade_output *out, long number);

/* How often the line with this id has come to a failure of the judge's, or was cancelled.
 * It was not judged by that. */
int grade_output_failures(const struct grade_output *out, const char *id);

/* Appends a line, with the name of the run. -1 where it cannot be written whole: then the
 * file is as it was. */
int grade_output_add(struct grade_output *out, cJSON *line, struct report *r);

/* The line that was judged under this key, which the caller deletes; NULL: none was. */
cJSON *grade_output_cached(const struct grade_output *out, const char *key);

#endif
