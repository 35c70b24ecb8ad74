#include "core/json.h"

#include "core/buf.h"
#include "core/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
line_of(const char *text, const char *at)
{
    int line = 1;

    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

cJSON *
json_parse(const char *text, size_t len, const char *what, struct report *r)
{
    const char *end = NULL;
    cJSON *value;

    if (memchr(text, '\0', len) != NULL) {
        report_fail(r, "%s: holds a NUL byte, so it is not JSON", what);
        return NULL;
    }
    value = cJSON_ParseWithLengthOpts(text, len, &end, 0);
    if (value == NULL) {
        report_fail(r, "%s:%d: not valid JSON here", what,
                    line_of(text, end != NULL ? end : text));
        return NULL;
    }
    while (end < text + len && strchr(" \t\r\n", *end) != NULL)
        end++;
    if (end != text + len) {
        report_fail(r, "%s:%d: something follows the JSON value", what,
                    line_of(text, end));
        cJSON_Delete(value);
        return NULL;
    }
    return value;
}

cJSON *
json_read_file(const char *path, size_t max, struct report *r)
{
    struct buf text = {0};
    cJSON *value = NULL;

    if (file_read(path, max, &text, r) == 0)
        value = json_parse(buf_str(&text), text.len, path, r);
    buf_free(&text);
    return value;
}

int
json_write_file(const char *path, const cJSON *value, struct report *r)
{
    char *text = cJSON_Print(value);
    int rc;

    if (text == NULL)
        return report_fail(r, "%s: out of memory", path);
    rc = file_write(path, text, strlen(text), r);
    free(text);
    return rc;
}

static const cJSON *
member(const cJSON *object, const char *key, struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (item == NULL)
        report_fail(r, "%s is missing", key);
    return item;
}

int
json_get_string(const cJSON *object, const char *key, char **out, struct report *r)
{
    const cJSON *item = member(object, key, r);

    if (item == NULL)
        return -1;
    if (!cJSON_IsString(item))
        return report_fail(r, "%s is not a string", key);
    *out = xstrdup(item->valuestring);
    return 0;
}

int
json_get_bool(const cJSON *object, const char *key, bool *out, struct report *r)
{
    const cJSON *item = member(object, key, r);

    if (item == NULL)
        return -1;
    if (!cJSON_IsBool(item))
        return report_fail(r, "%s is not true or false", key);
    *out = cJSON_IsTrue(item);
    return 0;
}

int
json_get_double(const cJSON *object, const char *key, double *out, struct report *r)
{
    const cJSON *item = member(object, key, r);

    if (item == NULL)
        return -1;
    if (!cJSON_IsNumber(item))
        return report_fail(r, "%s is not a number", key);
    *out = item->valuedouble;
    return 0;
}

int
json_get_int(const cJSON *object, const char *key, int64_t *out, struct report *r)
{
    double value = 0;

    if (json_get_double(object, key, &value, r) != 0)
        return -1;
    if (!(fabs(value) <= 9007199254740992.0) || value != floor(value))
        return report_fail(r, "%s is not a whole number", key);
    *out = (int64_t)value;
    return 0;
}
