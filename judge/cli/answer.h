/*
 * Reads the judge's answers for display. A member that is missing, null or of another
 * type reads as "nothing to show". What must be there is read with core/json.h.
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* The value where there is nothing to show stands behind each. */
const char *answer_string(const cJSON *object, const char *key); /* "" */
double answer_number(const cJSON *object, const char *key);      /* NaN */
long answer_count(const cJSON *object, const char *key); /* 0; it is never negative */
bool answer_true(const cJSON *object, const char *key);  /* false */
const cJSON *answer_array(const cJSON *object,
                          const char *key); /* NULL, which cJSON_ArrayForEach takes */

#endif
