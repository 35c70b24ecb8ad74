/*
 * Turns what ptxas printed of a program's PTX into what a user reads. It names lines of
 * the PTX, and nvcc has written into the PTX from which line of which file each part
 * came:
 *
 *     ptxas wrapper.ptx, line 42; error   : Unknown symbol 'x'
 *     ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x13880 ...)
 *
 *     .loc 1 4 5, function_name $L__info_string0, inlined_at 1 11 5
 *     .file 1 "/build/vec.cu"
 */
#include "compile/messages.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_SHOWN 20
#define WORDS_SHOWN 400

/* A place in the source; line 0: not known. */
struct place {
    const char *file; /* in the PTX, without its folders */
    size_t file_len;
    unsigned long line;
};

static const char *
skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

static const char *
next_line(const char *p)
{
    p = strchrnul(p, '\n');
    return *p != '\0' ? p + 1 : p;
}

/* Finds the name of file `number` in the PTX, without its folders. */
static void
find_file(const char *ptx, unsigned long number, struct place *out)
{
    char head[32];

    snprintf(head, sizeof head, ".file\t%lu \"", number);
    for (const char *line = ptx; *line != '\0'; line = next_line(line)) {
        const char *name, *end;

        line = skip_blanks(line);
        if (strncmp(line, head, strlen(head)) != 0)
            continue;
        name = line + strlen(head);
        end = name + strcspn(name, "\"\n");
        for (const char *p = name; p < end; p++)
            if (*p == '/')
                name = p + 1;
        out->file = name;
        out->file_len = (size_t)(end - name);
        return;
    }
}

/* Reads "FILE LINE" of a .loc. */
static struct place
read_place(const char *ptx, const char *numbers)
{
    struct place place = {0};
    char *end;
    unsigned long file = strtoul(numbers, &end, 10), line = strtoul(end, NULL, 10);

    find_file(ptx, file, &place);
    if (place.file != NULL)
        place.line = line;
    return place;
}

static bool
is_users(const struct place *place, const struct target *t)
{
    return place->line != 0 && place->file_len == strlen(t->file_name) &&
           strncmp(place->file, t->file_name, place->file_len) == 0;
}

/* The place that a .loc names: in the user's file where one of its two is there. */
static struct place
loc_place(const struct target *t, const char *ptx, const char *loc)
{
    static const char inlined[] = "inlined_at ";
    struct place own = read_place(ptx, loc), caller;
    const char *at = memmem(loc, strcspn(loc, "\n"), inlined, sizeof inlined - 1);

    if (is_users(&own, t) || at == NULL)
        return own;
    caller = read_place(ptx, at + sizeof inlined - 1);
    return is_users(&caller, t) ? caller : own;
}

static const char *
loc_numbers(const char *line)
{
    line = skip_blanks(line);
    return strncmp(line, ".loc", 4) == 0 && isblank((unsigned char)line[4]) ? line + 5
                                                                            : NULL;
}

/* The place from which line `number` of the PTX came. */
static struct place
place_of_line(const struct target *t, const char *ptx, unsigned long number)
{
    const char *loc = NULL;

    for (const char *line = ptx; *line != '\0' && number > 0; number--) {
        const char *numbers = loc_numbers(line);

        if (numbers != NULL)
            loc = numbers;
        line = next_line(line);
    }
    return loc != NULL ? loc_place(t, ptx, loc) : (struct place){0};
}

/* The place where the kernel of this mangled name begins. */
static struct place
place_of_kernel(const struct target *t, const char *ptx, const char *name, size_t len)
{
    bool inside = false;

    for (const char *line = ptx; *line != '\0'; line = next_line(line)) {
        const char *end = strchrnul(line, '\n'), *numbers = loc_numbers(line);
        const char *entry = memmem(line, (size_t)(end - line), ".entry ", 7);

        if (entry != NULL)
            inside = strncmp(entry + 7, name, len) == 0 && entry[7 + len] == '(';
        if (inside && numbers != NULL)
            return loc_place(t, ptx, numbers);
    }
    return (struct place){0};
}

/* "(0x13880 bytes, 0xc000 max)" in the words of ptxas. */
static bool
read_sizes(const char *words, unsigned long long *bytes, unsigned long long *most)
{
    static const char between[] = " bytes, 0x";
    const char *at = strstr(words, "(0x");
    char *end;

    if (at == NULL)
        return false;
    *bytes = strtoull(at + 3, &end, 16);
    if (end == at + 3 || strncmp(end, between, sizeof between - 1) != 0)
        return false;
    at = end + sizeof between - 1;
    *most = strtoull(at, &end, 16);
    return end != at && strncmp(end, " max)", 5) == 0;
}

/* Adds one error: where it is, and what ptxas says of it. */
static void
add_error(struct buf *out, const struct target *t, const char *ptx, struct place place,
          const char *words)
{
    static const char entry[] = "Entry function '";
    unsigned long long bytes, most;

    if (strncmp(words, entry, sizeof entry - 1) == 0)
        place = place_of_kernel(t, ptx, words + sizeof entry - 1,
                                strcspn(words + sizeof entry - 1, "'"));
    if (place.line != 0)
        buf_printf(out, "%.*s(%lu): error: ", (int)place.file_len, place.file,
                   place.line);
    else
        buf_printf(out, "%s: error: ", t->file_name);
    if (strstr(words, "too much global constant data") != NULL &&
        read_sizes(words, &bytes, &most))
        buf_printf(
            out, "the __constant__ variables take %llu bytes; a GPU has %llu for them\n",
            bytes, most);
    else if (strstr(words, "too much shared data") != NULL &&
             read_sizes(words, &bytes, &most))
        buf_printf(out,
                   "the kernel's __shared__ variables take %llu bytes; at most %llu are "
                   "possible without dynamic shared memory\n",
                   bytes, most);
    else
        buf_printf(out, "ptxas: %.*s\n", WORDS_SHOWN, words);
}

/* What a line of ptxas's says of an error; NULL: it is none. *number is the line of the
 * PTX, or 0. */
static const char *
read_error(const char *line, unsigned long *number)
{
    static const char mark[] = ", line ", error[] = "error   : ";
    const char *words = strstr(line, error), *at = strstr(line, mark);

    if (strncmp(line, "ptxas ", 6) != 0 || words == NULL)
        return NULL;
    *number = at != NULL && at < words ? strtoul(at + sizeof mark - 1, NULL, 10) : 0;
    return words + sizeof error - 1;
}

char *
message_assemble(const struct target *t, enum tool_end end, const struct buf *output,
                 const char *ptx)
{
    char *text = message_end(end, "assembling (ptxas)"), *said, *rest, *line;
    struct buf out = {0}, one = {0};
    int errors = 0;

    if (text != NULL)
        return text;
    said = rest = xstrdup(buf_str(output));
    while ((line = strsep(&rest, "\n")) != NULL) {
        unsigned long number;
        const char *words = read_error(line, &number);

        if (words == NULL || errors++ >= ERRORS_SHOWN)
            continue;
        buf_clear(&one);
        add_error(&one, t, ptx, place_of_line(t, ptx, number), words);
        /* A function that is inlined twice has each of its errors twice. */
        if (strstr(buf_str(&out), buf_str(&one)) == NULL)
            buf_puts(&out, buf_str(&one));
    }
    free(said);
    buf_free(&one);
    if (errors > ERRORS_SHOWN)
        buf_printf(&out, "(and %d more errors)\n", errors - ERRORS_SHOWN);
    if (out.len > 0) {
        out.data[--out.len] = '\0'; /* the last newline */
        return buf_take(&out);
    }
    buf_free(&out);
    return message_quote(t, end == TOOL_CRASH ? "ptxas crashed" : "ptxas failed", output);
}
