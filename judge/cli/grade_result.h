/* The lines that `grade` writes (docs/grading.md). */
#ifndef CLI_GRADE_RESULT_H
#define CLI_GRADE_RESULT_H

#include "cli/grade_line.h"
#include "cli/grade_problem.h"

#include <cjson/cJSON.h>

/* How far a line is judged, in this order. */
enum grade_stage { STAGE_COMPILE, STAGE_EMU, STAGE_GPU };

/* "compile", "emu" or "gpu". */
const char *grade_stage_name(enum grade_stage stage);

/* The kind of a notice for which emu's acceptance does not count: a race, or an access
 * that leaves its array. NULL where there is none, or where it was not accepted. */
const char *grade_rejected_for(const cJSON *submission);

/* A line of the judge's last answer about it. `emu` is what emu said before a GPU was
 * asked; NULL: nothing. */
cJSON *grade_result_line(const struct grade_line *line, const struct grade_problem *p,
                         const char *key, enum grade_stage stage, const cJSON *submission,
                         const cJSON *emu);

/* A line of one that was not judged. `id` may be NULL. */
cJSON *grade_error_line(long number, const char *id, const char *why);

/* Makes the line of another id of one that was judged under the same key. */
void grade_cached_line(cJSON *judged, const struct grade_line *line);

#endif
