/*
 * Reads JSON objects of our own making: job folders and API answers. Typed getters say
 * what is missing instead of returning a silent zero. A writer puts an object into a
 * file.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/report.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the whole file. The caller calls cJSON_Delete(). NULL and a report that names
 * the file and, for a syntax error, the line. */
cJSON *json_read_file(const char *path, size_t max, struct report *r);

/* Parses text in memory. `what` names it in messages. */
cJSON *json_parse(const char *text, size_t len, const char *what, struct report *r);

/* Does the text hold an escape \u0000? cJSON would end the string there, and silently
 * lose what follows. */
bool json_escapes_nul(const char *text, size_t len);

/* Does the text hold more values than `most`? Each costs cJSON a hundred bytes and some
 * time, so that megabytes of "1,1,1" are refused before they are parsed. A value that
 * another follows counts as one, and so does each beginning of an array or object. */
bool json_has_more_values(const char *text, size_t len, size_t most);

int json_write_file(const char *path, const cJSON *value, struct report *r);

/* Cleans all strings and names of members in a value (utf8_clean() in base/utf8.h). */
void json_clean(cJSON *value);

/* Each of these fails with "KEY is missing" or "KEY is not a ...", and then leaves *out
 * alone. Strings are copies that the caller frees. */
int json_get_string(const cJSON *object, const char *key, char **out, struct report *r);
int json_get_bool(const cJSON *object, const char *key, bool *out, struct report *r);
int json_get_int(const cJSON *object, const char *key, int64_t *out, struct report *r);
int json_get_double(const cJSON *object, const char *key, double *out, struct report *r);

/* Adds the bytes to the object as a text, in base64. */
void json_add_bytes(cJSON *o, const char *name, const void *bytes, size_t len);

#endif
