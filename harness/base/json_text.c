#include "base/json_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers below it have at most 15 digits, which a double shows without doubt. */
#define WHOLE_BELOW 1e15
#define NUMBER_BYTES 32

/* --- texts -------------------------------------------------------------- */

static bool
json_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != '"' && c != '\\';
}

static void
json_add_escape(struct buf *b, char c)
{
    static const char LETTERS[][3] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f",
        ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\"};

    if (LETTERS[(unsigned char)c][0] != '\0')
        buf_add(b, LETTERS[(unsigned char)c], 2);
    else
        buf_printf(b, "\\u%04x", (unsigned)c);
}

void
json_add_escaped(struct buf *b, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        const size_t first = i;

        while (i < len && json_is_plain(text[i]))
            i++;
        buf_add(b, text + first, i - first);
        if (i < len)
            json_add_escape(b, text[i++]);
    }
}

static void
json_add_text(struct buf *b, const char *text)
{
    buf_add(b, "\"", 1);
    if (text != NULL)
        json_add_escaped(b, text, strlen(text));
    buf_add(b, "\"", 1);
}

/* --- numbers ------------------------------------------------------------ */

static void
json_add_whole(struct buf *b, int64_t number)
{
    char text[NUMBER_BYTES], *at = text + sizeof text;
    uint64_t left = number < 0 ? (uint64_t)-number : (uint64_t)number;

    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0)
        *--at = '-';
    buf_add(b, at, (size_t)(text + sizeof text - at));
}

/* Fifteen digits where they are the number but for its last bit, as cJSON has it. */
static void
json_add_fraction(struct buf *b, double number)
{
    char text[NUMBER_BYTES];
    double read;
    int len = snprintf(text, sizeof text, "%.15g", number);

    read = strtod(text, NULL);
    if (!(fabs(read - number) <= fmax(fabs(read), fabs(number)) * DBL_EPSILON))
        len = snprintf(text, sizeof text, "%.17g", number);
    buf_add(b, text, (size_t)len);
}

static void
json_add_number(struct buf *b, double number)
{
    if (!isfinite(number))
        buf_puts(b, "null");
    else if (fabs(number) < WHOLE_BELOW && number == trunc(number) &&
             !(number == 0 && signbit(number)))
        json_add_whole(b, (int64_t)number);
    else
        json_add_fraction(b, number);
}

/* --- values ------------------------------------------------------------- */

static void
json_add_members(struct buf *b, const cJSON *value, bool named)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, value)
    {
        if (item != value->child)
            buf_add(b, ",", 1);
        if (named) {
            json_add_text(b, item->string);
            buf_add(b, ":", 1);
        }
        json_add(b, item);
    }
}

void
json_add(struct buf *b, const cJSON *value)
{
    if (cJSON_IsObject(value)) {
        buf_add(b, "{", 1);
        json_add_members(b, value, true);
        buf_add(b, "}", 1);
    } else if (cJSON_IsArray(value)) {
        buf_add(b, "[", 1);
        json_add_members(b, value, false);
        buf_add(b, "]", 1);
    } else if (cJSON_IsString(value)) {
        json_add_text(b, value->valuestring);
    } else if (cJSON_IsNumber(value)) {
        json_add_number(b, value->valuedouble);
    } else if (cJSON_IsBool(value)) {
        buf_puts(b, cJSON_IsTrue(value) ? "true" : "false");
    } else if (cJSON_IsRaw(value)) {
        buf_puts(b, value->valuestring);
    } else {
        buf_puts(b, "null");
    }
}
