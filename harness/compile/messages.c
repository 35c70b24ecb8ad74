/*
 * Turns what the tools printed into what a user reads. Three kinds of lines matter:
 *
 *     vec.cu(12): error: ...      nvcc's front ends (EDG)
 *     vec.cu:1:10: fatal error:   gcc, as preprocessor and as host compiler
 *     ptxas ...; error   : ...    the assembler, on a GPU only
 *
 * Each begins an error message, and the lines after it (source, caret, notes) belong to
 * it. Messages about the user's file or a header are shown. Messages about our wrapper
 * are consequences. If there is nothing else, one of them says what is wrong with
 * solve() as a whole, and a sentence of our own replaces it.
 */
#include "compile/messages.h"
#include "compile/libraries.h"
#include "compile/wrapper.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ERRORS_MAX 20
#define MESSAGE_BYTES_MAX ((size_t)8 << 10)

/* The first line of a tool's message, in parts that point into the output. */
struct head {
    const char *file;
    size_t file_len;
    const char *rest; /* the line from the file's line number on */
    bool is_error, is_note;
};

static bool
starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *
skip_digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* Reads the part after the line number: "): error", ":10: fatal error", ": warning". */
static bool
read_severity(const char *p, struct head *h)
{
    static const char *const errors[] = {"error", "fatal error", "catastrophic error",
                                         "internal error"};
    static const char *const others[] = {"warning", "remark"};

    if (*p == ')')
        p++;
    else if (*p == ':' && isdigit((unsigned char)p[1]))
        p = skip_digits(p + 1);
    if (!starts(p, ": "))
        return false;
    p += 2;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (starts(p, errors[i]))
            return h->is_error = true;
    if (starts(p, "note"))
        return h->is_note = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (starts(p, others[i]))
            return true;
    return false;
}

static bool
read_head(const char *line, const char *end, struct head *h)
{
    *h = (struct head){.file = line};
    if (line == end || isspace((unsigned char)*line))
        return false;
    for (const char *p = line; p < end; p++) {
        if ((*p != '(' && *p != ':') || !isdigit((unsigned char)p[1]))
            continue;
        h->file_len = (size_t)(p - line);
        h->rest = p;
        if (read_severity(skip_digits(p + 1), h))
            return true;
    }
    if (starts(line, "At end of source: ")) {
        h->rest = line;
        return h->is_error = true;
    }
    return false;
}

static bool
head_is_of(const struct head *h, const char *file_name)
{
    return h->file_len == strlen(file_name) &&
           strncmp(h->file, file_name, h->file_len) == 0;
}

/* Adds the message with the file's name only: folders of the sandbox mean nothing
 * outside. A note about the wrapper of a source in C shows the prototype. Its author
 * wrote the spec that the prototype follows. */
static void
add_head(struct buf *out, const struct head *h, const char *end)
{
    const char *name = h->file, *text;

    if (head_is_of(h, C_WRAPPER_NAME) &&
        (text = memmem(h->rest, (size_t)(end - h->rest), ": ", 2)) != NULL) {
        buf_puts(out, "problem.json");
        buf_add(out, text, (size_t)(end - text));
        buf_puts(out, "\n");
        return;
    }
    if (name[0] == '/' || starts(name, INCLUDE_NAME "/"))
        for (const char *p = name; p < h->file + h->file_len; p++)
            if (*p == '/')
                name = p + 1;
    if (h->rest > h->file)
        buf_add(out, name, (size_t)(h->file + h->file_len - name));
    buf_add(out, h->rest, (size_t)(end - h->rest));
    buf_puts(out, "\n");
}

/* Adds "ptxas /tmp/x.ptx, line 12; error   : Unknown symbol" or "ptxas error   : ...". */
static bool
add_assembler(struct buf *out, const char *line, const char *end)
{
    const char *what = memmem(line, (size_t)(end - line), "; error", 7);

    if (!starts(line, "ptxas "))
        return false;
    if (what != NULL)
        line = what + 2;
    else if (!starts(line, "ptxas error") && !starts(line, "ptxas fatal"))
        return false;
    else
        line += sizeof "ptxas " - 1;
    buf_puts(out, "ptxas: ");
    buf_add(out, line, (size_t)(end - line));
    buf_puts(out, "\n");
    return true;
}

static bool
is_tool_chatter(const char *line)
{
    return starts(line, "In file included from") ||
           starts(line, "compilation terminated") || starts(line, "Remark: ") ||
           isdigit((unsigned char)*line) || starts(line, "Error limit reached");
}

/* Adds a line of the source as the user wrote it. The compiler quotes __global__, a macro
 * of cuda_runtime.h, as __attribute__((global)). caret is the column of the ^ that the
 * next line puts below this one. The new column is returned. */
static size_t
add_source(struct buf *out, const char *line, const char *end, size_t caret)
{
    static const char *const words[] = {"global", "device", "host", "shared", "constant"};
    size_t moved = 0;

    for (const char *p = line; p < end;) {
        size_t taken = 1;

        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            char macro[32], expanded[64];
            size_t len;

            snprintf(macro, sizeof macro, "__%s__", words[i]);
            snprintf(expanded, sizeof expanded, "__attribute__((%s))", words[i]);
            len = strlen(expanded);
            if ((size_t)(end - p) < len || strncmp(p, expanded, len) != 0)
                continue;
            buf_puts(out, macro);
            if ((size_t)(p - line) < caret)
                moved += len - strlen(macro);
            p += len;
            taken = 0;
            break;
        }
        buf_add(out, p, taken);
        p += taken;
    }
    buf_puts(out, "\n");
    return caret > moved ? caret - moved : 0;
}

/* The column of a line that holds only a ^; SIZE_MAX for any other. */
static size_t
caret_column(const char *line)
{
    size_t column = strspn(line, " ");

    return line[column] == '^' ? column : SIZE_MAX;
}

/* Adds one line of a shown message and returns the end of what was used. That includes
 * the next line if it holds the ^ for this one. */
static const char *
add_quoted(struct buf *out, const char *line, const char *end)
{
    size_t caret = *end != '\0' ? caret_column(end + 1) : SIZE_MAX;

    if (caret == SIZE_MAX) {
        buf_add(out, line, (size_t)(end - line));
        buf_puts(out, "\n");
        return end;
    }
    caret = add_source(out, line, end, caret);
    buf_printf(out, "%*s^\n", (int)caret, "");
    return strchrnul(end + 1, '\n');
}

/* Copies the messages about the user's source. Returns how many errors there are in
 * all, shown or not. */
static int
copy_errors(const char *text, struct buf *out)
{
    const char *end;
    bool keep = false;
    int errors = 0;

    for (const char *line = text; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        struct head h;
        bool full = errors > ERRORS_MAX || out->len > MESSAGE_BYTES_MAX;

        end = strchrnul(line, '\n');
        if (read_head(line, end, &h)) {
            bool ours = head_is_of(&h, WRAPPER_NAME) ||
                        (head_is_of(&h, C_WRAPPER_NAME) && h.is_error);

            keep = !ours && (h.is_error || (h.is_note && keep));
            errors += keep && h.is_error;
            full = errors > ERRORS_MAX || out->len > MESSAGE_BYTES_MAX;
            if (keep && !full)
                add_head(out, &h, end);
        } else if (starts(line, "ptxas ")) {
            struct buf ignored = {0};

            keep = false;
            errors += add_assembler(full ? &ignored : out, line, end);
            buf_free(&ignored);
        } else if (is_tool_chatter(line)) {
            keep = false;
        } else if (keep && !full) {
            end = add_quoted(out, line, end);
        }
    }
    return errors;
}

static void
trim(struct buf *b)
{
    while (b->len > 0 && isspace((unsigned char)b->data[b->len - 1]))
        b->data[--b->len] = '\0';
}

/* Bounds the length, because one line can be as long as the source allows. */
static void
message_cut(struct buf *b)
{
    size_t len = MESSAGE_BYTES_MAX;

    if (b->len <= MESSAGE_BYTES_MAX)
        return;
    while (len > 0 && ((unsigned char)b->data[len] & 0xc0) == 0x80)
        len--; /* do not cut a character of UTF-8 in the middle */
    b->len = len;
    b->data[len] = '\0';
    buf_puts(b, "...");
}

/* Names the difference that the wrapper's warpjudge_compare found: a parameter or
 * another. */
static void
add_difference(struct buf *out, const struct function *f, int difference)
{
    if (difference >= 0 && difference < f->param_count)
        buf_printf(out, "\nThey differ in parameter %d, %s.", difference + 1,
                   f->param[difference].name);
    else if (difference == -2)
        buf_printf(out, "\nThey differ in the number of parameters: %d are expected.",
                   f->param_count);
    else if (difference == -3)
        buf_puts(out, "\nsolve must return void.");
}

/* What EDG prints of a check where solve is not one function. */
#define MANY "[with F=warpjudge_many, Difference="

/* EDG prints the types with which our check was instantiated:
 *     [with F=void (const float *, int), Difference=1] */
static char *
explain_signature(const struct function *f, const char *output)
{
    static const char with[] = "[with F=", until[] = ", Difference=";
    const char *found = strstr(output, with);
    const char *end = found != NULL ? strstr(found, until) : NULL;
    const char *paren;
    struct buf out = {0};

    if (end == NULL || starts(found, MANY) ||
        starts(found + sizeof with - 1, "<error-type>"))
        return NULL;
    found += sizeof with - 1;
    paren = memmem(found, (size_t)(end - found), " (", 2);
    if (paren == NULL || starts(end + sizeof until - 1, "-4")) {
        buf_printf(&out,
                   "solve is not a function but a variable of type %.*s. Expected: %s",
                   (int)(end - found), found, f->signature);
    } else {
        buf_printf(&out,
                   "solve has another signature than this problem's.\n"
                   "  expected: %s\n"
                   "  found:    %.*s solve%.*s",
                   f->signature, (int)(paren - found), found, (int)(end - paren - 1),
                   paren + 1);
        add_difference(&out, f, (int)strtol(end + sizeof until - 1, NULL, 10));
    }
    return buf_take(&out);
}

/* A sentence for errors that only the wrapper's lines show, or NULL if none is known. */
static char *
explain_wrapper(const struct target *t, const char *output)
{
    static const struct {
        const char *said, *sentence;
    } known[] = {
        {WRAPPER_MARK "macro", "solve is a macro here; it must be a function"},
        {"name followed by \"::\"", "solve is not a function"},
        {"a __global__ function call must be configured",
         "solve is a kernel (__global__); it must be a host function, which launches "
         "kernels"},
        {"calling a __device__ function(\"solve",
         "solve is a __device__ function; it must "
         "be a host function"},
        {"type name is not allowed", "solve is a type; it must be a function"},
        {"expression preceding parentheses of apparent call",
         "solve is a variable; it must be a function"},
        {MANY,
         "solve is a template, or there are several functions of that name, and not "
         "exactly one of them takes this problem's parameters"},
        {"function \"warpjudge_entry\" has already been defined",
         "names that begin with warpjudge are the judge's own; rename warpjudge_entry"},
    };
    /* A signature that differs also causes errors of the kinds above. */
    char *text = explain_signature(t->function, output);

    for (size_t i = 0; text == NULL && i < sizeof known / sizeof *known; i++)
        if (strstr(output, known[i].said) != NULL)
            text = xasprintf("%s: %s. Expected: extern \"C\" %s", t->file_name,
                             known[i].sentence, t->function->signature);
    return text;
}

/* The function that a source of this role must define. */
static const char *
function_name(const struct target *t)
{
    switch (t->role) {
    case ROLE_INPUTS:
        return "inputs";
    case ROLE_CHECKER:
        return "check";
    case ROLE_SOLVE:
        break;
    }
    return "solve";
}

/* A message if all errors lie behind the user's last line, in what the wrapper adds
 * there; otherwise NULL. The wrapper's own lines would only confuse. */
static char *
explain_behind(const struct target *t, const char *output)
{
    static const char mark[] = "error: ";
    const char *wrapper = t->kind == PROGRAM_C ? C_WRAPPER_NAME : WRAPPER_NAME, *end;

    for (const char *line = output; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        const char *what;
        struct head h;

        end = strchrnul(line, '\n');
        if (!read_head(line, end, &h) || !h.is_error || !starts(line, wrapper))
            continue;
        what = memmem(line, (size_t)(end - line), mark, sizeof mark - 1);
        if (what == NULL)
            continue;
        what += sizeof mark - 1;
        return xasprintf(
            "%s: the file is read to its end, but what the judge adds behind it, its "
            "call of %s, does not compile (%.*s). Is a bracket or a declaration left "
            "open at the file's end, or does a macro or a #pragma change keywords or "
            "%s?",
            t->file_name, function_name(t), (int)(end - what < 200 ? end - what : 200),
            what, function_name(t));
    }
    return NULL;
}

char *
message_end(enum tool_end end, const char *what)
{
    switch (end) {
    case TOOL_TIME:
        return xasprintf("%s used more than %d s of CPU time", what, COMPILE_SECONDS_MAX);
    case TOOL_MEMORY:
        return xasprintf("%s took more than %d GiB of memory", what, COMPILE_MEMORY_GIB);
    case TOOL_OUTPUT:
        return xasprintf(
            "%s wrote more than the limit of %d MiB, or printed more than 4 MiB", what,
            COMPILE_FILE_MIB);
    default:
        return NULL;
    }
}

char *
message_quote(const struct target *t, const char *what, const struct buf *output)
{
    struct buf out = {0};
    const char *text = buf_str(output);

    buf_printf(&out, "%s: %s:\n", t->file_name, what);
    while (*text != '\0' && out.len < MESSAGE_BYTES_MAX / 4) {
        if (*text == '/') {
            const char *name = text;

            for (; *text != '\0' && !isspace((unsigned char)*text) &&
                   strchr("(:,'`\"", *text) == NULL;
                 text++)
                if (*text == '/')
                    name = text + 1;
            buf_add(&out, name, (size_t)(text - name));
        } else {
            buf_add(&out, text++, 1);
        }
    }
    trim(&out);
    return buf_take(&out);
}

/* Explains "vec.cu:3:10: fatal error: cublas_v2.h: No such file or directory" by the
 * library to which the header belongs. */
static char *
explain_header(const struct target *t, const char *output)
{
    static const char mark[] = "fatal error: ", missing[] = ": No such file";
    const char *found = strstr(output, mark), *end;
    const char *line = found;
    char *why, *text;
    struct head h;

    if (found == NULL)
        return NULL;
    while (line > output && line[-1] != '\n')
        line--;
    found += sizeof mark - 1;
    end = strchrnul(found, '\n');
    end = memmem(found, (size_t)(end - found), missing, sizeof missing - 1);
    if (end == NULL || !read_head(line, strchrnul(line, '\n'), &h))
        return NULL;
    why = libraries_explain(t, found, (size_t)(end - found));
    if (why == NULL)
        return NULL;
    text = xasprintf("%.*s%.*s: %s", (int)h.file_len, h.file,
                     (int)(skip_digits(h.rest + 1) - h.rest), h.rest, why);
    free(why);
    return text;
}

char *
message_compile(const struct target *t, enum tool_end end, const struct buf *output)
{
    char *text = message_end(end, "compiling");
    struct buf out = {0};
    int errors;

    if (text == NULL && t->kind != PROGRAM_C)
        text = explain_header(t, buf_str(output));
    if (text != NULL)
        return text;
    errors = copy_errors(buf_str(output), &out);
    message_cut(&out);
    trim(&out);
    if (errors > ERRORS_MAX)
        buf_printf(&out, "\n(and %d more errors)", errors - ERRORS_MAX);
    if (out.len > 0)
        return buf_take(&out);
    buf_free(&out);
    text = t->kind != PROGRAM_C ? explain_wrapper(t, buf_str(output)) : NULL;
    if (text == NULL && end == TOOL_ERRORS)
        text = explain_behind(t, buf_str(output));
    if (text != NULL)
        return text;
    return message_quote(
        t, end == TOOL_CRASH ? "the compiler crashed" : "compiling failed", output);
}

/* The next NAME in "undefined reference to `NAME'" (ld.bfd) or 'NAME' (gold), or NULL. */
static const char *
next_quoted(const char **text, const char *phrase, size_t *len)
{
    const char *at = strstr(*text, phrase), *end;

    if (at == NULL)
        return NULL;
    at += strlen(phrase);
    if (*at != '\0')
        at++; /* the opening quote of either linker */
    end = strchrnul(at, '\n');
    *text = end;
    *len = strcspn(at, "'\n");
    return at;
}

static void
add_names(struct buf *out, const char *text, const char *phrase)
{
    const char *name;
    size_t len;
    int count = 0;

    while ((name = next_quoted(&text, phrase, &len)) != NULL && count < ERRORS_MAX) {
        char *quoted = xasprintf("'%.*s'", (int)len, name);

        if (strstr(buf_str(out), quoted) == NULL) {
            buf_printf(out, "%s%s", count > 0 ? ", " : "", quoted);
            count++;
        }
        free(quoted);
    }
}

/* The name is a symbol, or a C++ function without its parameters. The linker ld.bfd
 * quotes `so', gold quotes 'so'. */
static bool
linker_mentions(const char *text, const char *phrase, const char *name)
{
    size_t len;
    const char *at;

    while ((at = next_quoted(&text, phrase, &len)) != NULL)
        if (strcspn(at, "('\n") == strlen(name) && starts(at, name))
            return true;
    return false;
}

char *
message_link(const struct target *t, enum tool_end end, const struct buf *output)
{
    static const char undefined[] = "undefined reference to ",
                      twice[] = "multiple definition of ";
    char *text = message_end(end, "linking");
    const char *said = buf_str(output);
    struct buf out = {0};

    if (text != NULL)
        return text;
    if (linker_mentions(said, undefined, "warpjudge_entry"))
        return xasprintf("%s: names that begin with warpjudge are the judge's own; "
                         "rename warpjudge_entry",
                         t->file_name);
    if (t->role != ROLE_SOLVE && linker_mentions(said, undefined, function_name(t)))
        return xasprintf("%s: there is no function %s in this file", t->file_name,
                         function_name(t));
    if (linker_mentions(said, undefined, "solve"))
        return xasprintf("%s: %s. Expected: %s%s", t->file_name,
                         strstr(said, "warpjudge_by_symbol") != NULL
                             ? "there is no function solve in this file"
                             : "solve is declared, but not defined",
                         t->kind == PROGRAM_C ? "" : "extern \"C\" ",
                         t->function->signature);
    if (strstr(said, twice) != NULL) {
        buf_printf(&out,
                   "%s: defined already, by the judge or by a library: ", t->file_name);
        add_names(&out, said, twice);
        buf_puts(&out, "; remove or rename it");
    } else if (strstr(said, undefined) != NULL) {
        buf_printf(&out, "%s: used but not defined%s: ", t->file_name,
                   t->kind == PROGRAM_EMU ? ", or not available on emu" : "");
        add_names(&out, said, undefined);
        buf_puts(&out, "; only the CUDA runtime and the C and C++ libraries are linked");
    } else {
        return message_quote(t, "linking failed", output);
    }
    return buf_take(&out);
}
