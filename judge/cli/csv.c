#include "cli/csv.h"

#include "base/buf.h"
#include "base/report.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define LINE_END "\r\n"

/* Adds a text as a cell. Excel and others compute what begins with one of these signs,
 * also behind quotation marks (OWASP, "CSV Injection"). */
static void
csv_add_text(struct buf *out, const char *text)
{
    struct buf clean = {0};

    utf8_clean(&clean, text);
    buf_puts(out, "\"");
    if (clean.len > 0 && strchr("=+-@\t\n", clean.data[0]) != NULL)
        buf_puts(out, "'");
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.data[i] == '"')
            buf_puts(out, "\"");
        buf_add(out, &clean.data[i], 1);
    }
    buf_puts(out, "\"");
    buf_free(&clean);
}

static void
csv_add_cell(struct buf *out, const cJSON *value)
{
    char *text;

    if (value == NULL || cJSON_IsNull(value))
        return;
    if (cJSON_IsString(value)) {
        csv_add_text(out, value->valuestring);
        return;
    }
    text = cJSON_PrintUnformatted(value);
    if (text == NULL)
        die(4, "out of memory");
    buf_puts(out, text);
    free(text);
}

void
csv_print(FILE *file, const char *const *keys, const cJSON *rows)
{
    struct buf out = {0};
    const cJSON *row;

    for (size_t i = 0; keys[i] != NULL; i++)
        buf_printf(&out, "%s%s", i > 0 ? "," : "", keys[i]);
    buf_puts(&out, LINE_END);
    cJSON_ArrayForEach(row, rows)
    {
        for (size_t i = 0; keys[i] != NULL; i++) {
            buf_puts(&out, i > 0 ? "," : "");
            csv_add_cell(&out, cJSON_GetObjectItemCaseSensitive(row, keys[i]));
        }
        buf_puts(&out, LINE_END);
    }
    fwrite(out.data, 1, out.len, file);
    buf_free(&out);
}
