/* Typed getters over cJSON, and the sentence that says where and why a text is no
 * JSON. */
#include "base/json.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_BYTES 16

static int
json_line_of(const char *text, const char *at)
{
    int line = 1;

    for (const char *p = text; p < at; p++)
        line += *p == '\n';
    return line;
}

/* Is c one of the blanks that may stand between tokens? */
static bool
json_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* How many characters can be shown before the first of `stops`. They are printable ASCII
 * and at most `most`. The text need not end in a NUL. */
static int
json_printable_until(const char *at, const char *end, const char *stops, int most)
{
    int n = 0;

    while (n < most && at + n < end && at[n] >= ' ' && at[n] <= '~' &&
           strchr(stops, at[n]) == NULL)
        n++;
    return n;
}

/* The beginning of the token that cJSON was in, or next to, when it gave up. */
static const char *
token_of(const char *text, const char *at, const char *end)
{
    while (at < end && json_is_blank(*at))
        at++;
    if (at == end || strchr("[]{}", *at) != NULL)
        return at;
    while (at > text && strchr(" \t\r\n,:[]{}\"", at[-1]) == NULL)
        at--;
    return at;
}

/* The next backslash, or NULL. The first bytes are looked at one by one, because JSON in
 * a string has an escape every few bytes. */
static const char *
next_backslash(const char *at, const char *end)
{
    for (int i = 0; i < NEAR_BYTES && at < end; i++, at++)
        if (*at == '\\')
            return at;
    return memchr(at, '\\', (size_t)(end - at));
}

/* Backslashes come in pairs or begin an escape, so that one pass decides. */
bool
json_escapes_nul(const char *text, size_t len)
{
    const char *end = text + len;

    for (const char *at = text; (at = next_backslash(at, end)) != NULL; at += 2) {
        if (end - at > 5 && memcmp(at + 1, "u0000", 5) == 0)
            return true;
        if (end - at < 2)
            break;
    }
    return false;
}

/* How many bytes stand before the next quote or backslash, or the end. It looks at few
 * bytes at a time, because either one may be far behind the other. The first ones are
 * looked at one by one, as above. */
static size_t
json_plain(const char *text, size_t len)
{
    size_t at = 0;

    for (; at < len && at < NEAR_BYTES; at++)
        if (text[at] == '"' || text[at] == '\\')
            return at;
    while (at < len) {
        const size_t some = len - at < 64 ? len - at : 64;
        const char *quote = memchr(text + at, '"', some);
        const size_t before = quote != NULL ? (size_t)(quote - text) - at : some;
        const char *backslash = memchr(text + at, '\\', before);

        if (backslash != NULL)
            return (size_t)(backslash - text);
        if (quote != NULL)
            return (size_t)(quote - text);
        at += some;
    }
    return len;
}

bool
json_has_more_values(const char *text, size_t len, size_t most)
{
    size_t values = 0;
    bool inside = false; /* a string */

    for (size_t i = 0; i < len && values <= most; i++) {
        if (inside)
            i += json_plain(text + i, len - i);
        if (i == len)
            break;
        if (text[i] == '"')
            inside = !inside;
        else if (inside && text[i] == '\\')
            i++;
        else if (!inside && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
            values++;
    }
    return values > most;
}

/* What is wrong at `at`, if it is a mistake that people make who write JSON by hand. The
 * caller frees. */
static char *
why_not(const char *text, const char *at, const char *end)
{
    const char *token = token_of(text, at, end), *before = token, *after = token + 1;
    const int shown = json_printable_until(token, end, "", 20);

    while (before > text && json_is_blank(before[-1]))
        before--;
    while (after < end && json_is_blank(*after))
        after++;
    if (token == end)
        return xstrdup("it ends before all is closed");
    if ((*token == ']' || *token == '}') && before > text && before[-1] == ',')
        return xasprintf("a comma before %c", *token);
    if (strchr("]}{[", *token) != NULL && after == end)
        return xstrdup("it ends before all is closed");
    if (*token == '/' || *token == '#' || (at > text && at[-1] == '#'))
        return xstrdup("JSON has no comments");
    if (*token == '\'')
        return xstrdup("text stands in double quotes");
    if (token > text && token[-1] == '"')
        return xstrdup("text that is not closed, or holds an unknown escape");
    if (shown == 0)
        return xstrdup("a character that stands only in text");
    if (isalpha((unsigned char)*token))
        return xasprintf("no double quotes around %.*s",
                         json_printable_until(token, end, " \t\r\n,:[]{}\"", 40), token);
    if (before > text && strchr(",:[{", before[-1]) == NULL)
        return xasprintf("a comma, colon or bracket is missing before %.*s", shown,
                         token);
    return xasprintf("%.*s is not expected", shown, token);
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
        const char *at = end != NULL ? end : text;
        char *why = why_not(text, at, text + len);

        report_fail(r, "%s:%d: not valid JSON here: %s", what, json_line_of(text, at),
                    why);
        free(why);
        return NULL;
    }
    while (end < text + len && strchr(" \t\r\n", *end) != NULL)
        end++;
    if (end != text + len) {
        report_fail(r, "%s:%d: something follows the JSON value", what,
                    json_line_of(text, end));
        cJSON_Delete(value);
        return NULL;
    }
    return value;
}

/* What is clean is never longer. */
static void
json_clean_string(char *text)
{
    struct buf clean = {0};

    utf8_clean(&clean, text);
    memcpy(text, buf_str(&clean), clean.len + 1);
    buf_free(&clean);
}

void
json_clean(cJSON *value)
{
    cJSON *item;

    if (cJSON_IsString(value))
        json_clean_string(value->valuestring);
    cJSON_ArrayForEach(item, value)
    {
        if (item->string != NULL)
            json_clean_string(item->string);
        json_clean(item);
    }
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
json_member(const cJSON *object, const char *key, struct report *r)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    if (item == NULL)
        report_fail(r, "%s is missing", key);
    return item;
}

int
json_get_string(const cJSON *object, const char *key, char **out, struct report *r)
{
    const cJSON *item = json_member(object, key, r);

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
    const cJSON *item = json_member(object, key, r);

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
    const cJSON *item = json_member(object, key, r);

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

void
json_add_bytes(cJSON *o, const char *name, const void *bytes, size_t len)
{
    struct buf text = {0};

    base64_add(&text, bytes, len);
    if (cJSON_AddStringToObject(o, name, buf_str(&text)) == NULL)
        die(4, "out of memory");
    buf_free(&text);
}
