/*
 * A message that is about the source has lines such as these; what stands between them
 * quotes the source, and begins with a space.
 *
 *     vec.cu(12): error: identifier "b" is undefined
 *     vec.cu(12): error: ptxas: Unknown modifier '.bar'
 *     vec.cu:1:10: fatal error: cub: No such file or directory
 *
 * The compiler of C++ tells the column by a caret below the line that it quotes. It
 * quotes a line two columns to the right, and a tab as one blank:
 *
 *           C[i] = A[i] + b[i];
 *                         ^
 */
#include "compiler/diagnostics.h"

#include "base/buf.h"
#include "base/report.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DIAGNOSTICS_MAX 32
#define ASSEMBLER "ptxas: "
#define QUOTE_INDENT 2

struct head {
    size_t file_len;
    long line, column; /* 0: not known */
    const char *severity;
    const char *text;
};

static bool
skip_word(const char **p, const char *word)
{
    const size_t len = strlen(word);

    if (strncmp(*p, word, len) != 0)
        return false;
    *p += len;
    return true;
}

static bool
read_severity(const char *p, struct head *h)
{
    static const char *const errors[] = {
        "error: ", "fatal error: ", "catastrophic error: ", "internal error: "};

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (skip_word(&p, errors[i]))
            h->severity = "error";
    if (skip_word(&p, "warning: "))
        h->severity = "warning";
    if (skip_word(&p, "note: "))
        h->severity = "note";
    h->text = p;
    return h->severity != NULL;
}

/* Reads the part behind the file's name: "(12): error: ", ":1:10: fatal error: ". */
static bool
read_place(const char *p, struct head *h)
{
    const bool paren = *p == '(';
    char *end;

    h->line = strtol(p + 1, &end, 10);
    if (paren && *end == ')')
        end++;
    else if (paren)
        return false;
    else if (*end == ':' && isdigit((unsigned char)end[1]))
        h->column = strtol(end + 1, &end, 10);
    return strncmp(end, ": ", 2) == 0 && read_severity(end + 2, h);
}

/* The column of the caret in the lines from `p` on, which end where an empty line or
 * another head begins. 0: there is no caret. */
static long
read_caret(const char *p)
{
    while (*p == ' ') {
        const size_t blanks = strspn(p, " ");

        if (p[blanks] == '^' && (p[blanks + 1] == '\n' || p[blanks + 1] == '\0'))
            return blanks >= QUOTE_INDENT ? (long)(blanks - QUOTE_INDENT) + 1 : 0;
        p = strchrnul(p, '\n');
        p += *p == '\n';
    }
    return 0;
}

static bool
read_head(const char *line, const char *end, struct head *h)
{
    if (isspace((unsigned char)*line))
        return false;
    for (const char *p = line; p < end; p++) {
        *h = (struct head){.file_len = (size_t)(p - line)};
        if (p > line && (*p == '(' || *p == ':') && isdigit((unsigned char)p[1]) &&
            read_place(p, h))
            return true;
    }
    return false;
}

static void
add_text(cJSON *o, const char *key, const char *text, size_t len)
{
    struct buf copy = {0};

    buf_add(&copy, text, len);
    cJSON_AddStringToObject(o, key, buf_str(&copy));
    buf_free(&copy);
}

static void
add_diagnostic(cJSON *list, const char *line, const char *end, const struct head *h)
{
    cJSON *o = cJSON_CreateObject();
    const char *text = h->text;
    const bool assembler = skip_word(&text, ASSEMBLER);

    cJSON_AddStringToObject(o, "kind", assembler ? "assembler" : "compiler");
    cJSON_AddStringToObject(o, "severity", h->severity);
    add_text(o, "text", text, (size_t)(end - text));
    if (h->file_len > 0)
        add_text(o, "file", line, h->file_len);
    if (h->line > 0)
        cJSON_AddNumberToObject(o, "line", (double)h->line);
    if (h->column > 0)
        cJSON_AddNumberToObject(o, "column", (double)h->column);
    cJSON_AddItemToArray(list, o);
}

static void
add_whole(cJSON *list, const char *message, const char *filename)
{
    struct head h = {.severity = "error", .text = message};
    const size_t len = strlen(filename);

    if (strncmp(message, filename, len) == 0 && strncmp(message + len, ": ", 2) == 0) {
        h.file_len = len;
        h.text += len + 2;
    }
    add_diagnostic(list, message, strchr(message, '\0'), &h);
}

char *
diagnostics_of_message(const char *message, const char *filename)
{
    cJSON *all = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(all, "diagnostics");
    const char *end;
    char *text;

    for (const char *line = message; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        struct head h;

        end = strchrnul(line, '\n');
        if (cJSON_GetArraySize(list) >= DIAGNOSTICS_MAX || !read_head(line, end, &h))
            continue;
        if (h.column == 0 && *end == '\n')
            h.column = read_caret(end + 1);
        add_diagnostic(list, line, end, &h);
    }
    if (cJSON_GetArraySize(list) == 0)
        add_whole(list, message, filename);
    text = cJSON_PrintUnformatted(all);
    cJSON_Delete(all);
    if (text == NULL)
        die(4, "out of memory");
    return text;
}
