/*
 * `submit --gradescope FILE`: one submission as Gradescope's results.json, so that the
 * judge is an autograder there (docs/class.md).
 *
 * All points are for an accepted submission, none for any other: the judge ends with the
 * first test that fails, and hidden sizes are not worth points one by one. A failure of
 * the judge's own is no result. Then no file is written, and Gradescope says that the
 * autograder failed.
 */
#ifndef CLI_GRADESCOPE_H
#define CLI_GRADESCOPE_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* What the flags say: the points, 100 where --points is not given, and who sees results
 * when. */
struct gradescope {
    const char *path;
    long points;
    const char *visibility;
};

/* -1 and a report for a wrong flag. */
int gradescope_of_flags(const struct cli *cli, struct gradescope *out, struct report *r);

/* The object of the file. `seconds`: how long the judge took. The caller deletes it. */
cJSON *gradescope_json(const struct gradescope *g, const cJSON *submission,
                       double seconds);

/* Judges the verb's file and writes the results. Returns 0 where they are written,
 * whatever the verdict, else an exit status with the report set. */
int gradescope_submit(struct cli *cli);

#endif
