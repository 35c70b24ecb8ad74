/*
 * Reading the judge's answers for display: a member that is missing, null or of another
 * type reads as "nothing to show". (What must be there is read with core/json.h.)
 */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

const char *answer_string(const cJSON *object, const char *key); /* "" */
double answer_number(const cJSON *object, const char *key);      /* NaN */
long answer_count(const cJSON *object, const char *key);         /* 0; whole, >= 0 */
bool answer_true(const cJSON *object, const char *key);          /* false */
const cJSON *answer_array(const cJSON *object,
                          const char *key); /* NULL; for cJSON_ArrayForEach */

#endif
