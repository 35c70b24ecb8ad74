/*
 * Each error is a line, and the lines about it are indented:
 *
 *     ========= Invalid __global__ read of size 4 bytes
 *     =========     at add(const float *, int)+0x1b0 in vec.cu:9
 *     =========     by thread (96,0,0) in block (97658,0,0)
 *     =========     Access to 0x7efe39f5e980 is out of bounds
 *     =========     Saved host backtrace up to driver entry point at kernel launch time
 *     =========         Host Frame: cuLaunchKernel [0x39fb94] in libcuda.so.1
 *     =========
 *     ========= ERROR SUMMARY: 388 errors
 */
#include "arbiter/profiling/sanitizer_text.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "========= "
#define INDENT "    "
#define BACKTRACE "Saved host backtrace"
#define LINE_MAX_BYTES 512

static const char *
next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at == '\n' ? at + 1 : at;
}

/* Copies the line at `at` without the tool's mark, cut if it is too long. False: it is
 * none of the tool's. */
static bool
take_line(const char *at, char out[LINE_MAX_BYTES])
{
    size_t len = strcspn(at, "\r\n");

    if (strncmp(at, MARK, sizeof MARK - 1) != 0)
        return false;
    at += sizeof MARK - 1;
    len -= sizeof MARK - 1;
    snprintf(out, LINE_MAX_BYTES, "%.*s",
             (int)(len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES - 1), at);
    return true;
}

/* Is it the first line of an error? */
static bool
is_title(const char *line)
{
    static const char *const titles[] = {
        "Invalid ",       "Error: Race reported",   "Warning: Race reported",
        "Uninitialized ", "Barrier error detected", "Warp-level "};

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strncmp(line, titles[i], strlen(titles[i])) == 0)
            return true;
    return false;
}

/* Takes "vec.cu:9" out of "... in vec.cu:9 [...]" as the error's place, or its other. */
static void
take_place(const char *in, struct fault *f)
{
    const size_t len = strcspn(in, " \t\n");
    const char *colon = memrchr(in, ':', len);
    char *file = f->line == 0 ? f->file : f->other_file;
    struct buf name = {0};
    long line;

    if (colon == NULL || f->other_line != 0)
        return;
    line = strtol(colon + 1, NULL, 10);
    if (line < 1 || line > 10000000)
        return;
    buf_add(&name, in, (size_t)(colon - in));
    utf8_clean_copy(file, sizeof f->file, buf_str(&name));
    *(f->line == 0 ? &f->line : &f->other_line) = (int)line;
    buf_free(&name);
}

/* Adds a line to the text without the function's parameters and the offset, and takes
 * the place that it names. */
static void
add_line(struct buf *text, const char *line, struct fault *f)
{
    const char *offset = strstr(line, "+0x");
    const char *in = offset != NULL ? strstr(offset, " in ") : NULL;
    const char *at = strncmp(line, "at ", 3) == 0 ? line : strstr(line, " at ");

    if (in == NULL || at == NULL || at > offset) {
        buf_puts(text, line);
        return;
    }
    take_place(in + 4, f);
    buf_add(text, line, (size_t)(at - line));
    if (at != line)
        buf_puts(text, " ");
    buf_puts(text, "at ");
    buf_puts(text, in + 4);
}

bool
sanitizer_text_next(const char **at, const char *tool, enum fault_kind kind,
                    struct fault *out)
{
    char line[LINE_MAX_BYTES];
    struct buf text = {0};

    while (**at != '\0' && (!take_line(*at, line) || !is_title(line)))
        *at = next_line(*at);
    if (**at == '\0')
        return false;
    *out = (struct fault){.kind = kind};
    buf_printf(&text, "%s: ", tool);
    add_line(&text, line, out);
    for (*at = next_line(*at); take_line(*at, line); *at = next_line(*at)) {
        const size_t indent = strspn(line, " ");

        if (indent != sizeof INDENT - 1 ||
            strncmp(line + indent, BACKTRACE, sizeof BACKTRACE - 1) == 0)
            break;
        buf_puts(&text, " ");
        add_line(&text, line + indent, out);
    }
    utf8_clean_copy(out->text, sizeof out->text, buf_str(&text));
    buf_free(&text);
    return true;
}

long
sanitizer_text_errors(const char *text)
{
    static const char *const summaries[] = {MARK "ERROR SUMMARY: ",
                                            MARK "RACECHECK SUMMARY: "};

    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++) {
        const char *at = strstr(text, summaries[i]);

        if (at != NULL) {
            const long n = strtol(at + strlen(summaries[i]), NULL, 10);

            return n >= 0 ? n : -1;
        }
    }
    return -1;
}
