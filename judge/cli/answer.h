/*
 * Reads the judge's answers for display. A member that is missing, null or of another
 * type reads as "nothing to show". What must be there is read with base/json.h.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Where there is nothing to show, these return "", NaN, 0, false and NULL.
 * cJSON_ArrayForEach() takes the NULL. A count is never negative. */
const char *answer_string(const cJSON *object, const char *key);
double answer_number(const cJSON *object, const char *key);
long answer_count(const cJSON *object, const char *key);
bool answer_true(const cJSON *object, const char *key);
const cJSON *answer_array(const cJSON *object, const char *key);

#endif
