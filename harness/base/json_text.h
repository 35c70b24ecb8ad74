/* Writes JSON as text. cJSON prints a number up to twice and reads it back each time,
 * which was a fifth of what a list of submissions costs. */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "base/buf.h"

#include <cjson/cJSON.h>

/* Appends a value without blanks: the text of cJSON_PrintUnformatted(). */
void json_add(struct buf *b, const cJSON *value);

/* Appends bytes of a string in JSON, without quotes. Bytes above 127 stay, so that a
 * character may be cut in two between pieces. */
void json_add_escaped(struct buf *b, const char *text, size_t len);

#endif
