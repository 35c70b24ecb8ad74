#include "compile/bounds.h"

#include "compile/tools.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VALUE_PREFIX "value-"

/* --- the program ---------------------------------------------------------- */

/* A main() that calls the wrapper's entry. Each buffer is an allocation of its own, whose
 * end AddressSanitizer knows to the byte. The addresses are printed, so that a fault can
 * be told by the parameter's name. */
static const char main_begin[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "void warpjudge_entry(void *const *arguments);\n"
    "const char *__asan_default_options(void)\n"
    "{\n    return \"detect_leaks=0:color=never:symbolize=1\";\n}\n"
    "static void *load(int number)\n"
    "{\n"
    "    char path[40];\n"
    "    FILE *f;\n"
    "    void *bytes = NULL;\n"
    "    long size = -1;\n"
    "    snprintf(path, sizeof path, \"" VALUE_PREFIX "%d\", number);\n"
    "    f = fopen(path, \"rb\");\n"
    "    if (f != NULL && fseek(f, 0, SEEK_END) == 0)\n"
    "        size = ftell(f);\n"
    "    if (size >= 0)\n"
    "        bytes = malloc((size_t)size);\n"
    "    if (bytes == NULL)\n"
    "        exit(2);\n"
    "    rewind(f);\n"
    "    if (fread(bytes, 1, (size_t)size, f) != (size_t)size)\n"
    "        exit(2);\n"
    "    fclose(f);\n"
    "    fprintf(stderr, \"value %d is at %p\\n\", number, bytes);\n"
    "    return bytes;\n"
    "}\n"
    "int main(void)\n"
    "{\n";

/* The caller frees it. */
static char *
bounds_main(const struct function *f)
{
    struct buf out = {0};

    buf_puts(&out, main_begin);
    buf_printf(&out, "    void *value[%d + 1], *argument[%d + 1];\n", f->param_count,
               f->param_count);
    for (int i = 0; i < f->param_count; i++)
        buf_printf(&out, "    value[%d] = load(%d);\n    argument[%d] = %svalue[%d];\n",
                   i, i, i, f->param[i].dir != FUNCTION_SCALAR ? "&" : "", i);
    buf_puts(&out, "    warpjudge_entry(argument);\n    return 0;\n}\n");
    return buf_take(&out);
}

static int
bounds_take_values(const struct build *b, const char *values, struct report *r)
{
    int rc = 0;

    for (int i = 0; i < b->target->function->param_count && rc == 0; i++) {
        char *from = xasprintf("%s/%d", values, i);
        char *to = xasprintf("%s/" VALUE_PREFIX "%d", b->folder, i);

        if (rename(from, to) != 0 || chmod(to, 0644) != 0)
            rc = report_errno(r, "%s cannot be moved to a build folder", from);
        free(to);
        free(from);
    }
    return rc;
}

/* --- what AddressSanitizer says ------------------------------------------- */

/* The parameter whose buffer begins at this address; NULL: it is none's. */
static const char *
param_at(const struct function *f, const char *said, uint64_t address)
{
    const char *name = NULL;

    for (int i = 0; i < f->param_count && name == NULL; i++) {
        char *mark = xasprintf("value %d is at 0x", i);
        const char *at = strstr(said, mark);

        if (at != NULL && strtoull(at + strlen(mark), NULL, 16) == address)
            name = f->param[i].name;
        free(mark);
    }
    return name;
}

/* Says of which memory the access leaves the bounds. */
static void
add_region(struct buf *out, const struct function *f, const char *said, const char *kind)
{
    static const struct {
        const char *kind, *words;
    } KINDS[] = {
        {"heap-buffer-overflow", " out of bounds of what it has allocated"},
        {"stack-buffer", " out of bounds of a local variable"},
        {"dynamic-stack-buffer", " out of bounds of a local variable"},
        {"global-buffer", " out of bounds of a static variable"},
        {"heap-use-after-free", " of memory that it has freed"},
        {"stack-overflow", ": its stack is full"},
        {"SEGV", " where no memory is"},
    };
    static const char mark[] = "-byte region [0x";
    const char *region = strstr(said, mark), *name = NULL;

    if (region != NULL)
        name = param_at(f, said, strtoull(region + sizeof mark - 1, NULL, 16));
    if (name != NULL) {
        buf_printf(out, " out of bounds of %s", name);
        return;
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strncmp(kind, KINDS[i].kind, strlen(KINDS[i].kind)) == 0) {
            buf_puts(out, KINDS[i].words);
            return;
        }
}

static void
bounds_read(const struct target *t, const char *said, struct bounds *out)
{
    static const char mark[] = "ERROR: AddressSanitizer: ";
    const char *error = strstr(said, mark), *kind, *at, *access;
    char *place;
    struct buf what = {0};
    long size;

    if (error == NULL)
        return;
    kind = error + sizeof mark - 1;
    place = xasprintf("/%s:", t->file_name);
    at = strstr(kind, place);
    if (at != NULL)
        out->line = (int)strtol(at + strlen(place), NULL, 10);
    free(place);
    if (out->line <= 0)
        return;
    if ((access = strstr(kind, "WRITE of size ")) != NULL)
        buf_puts(&what, "writes");
    else if ((access = strstr(kind, "READ of size ")) != NULL)
        buf_puts(&what, "reads");
    else
        buf_puts(&what,
                 strstr(kind, "a WRITE memory access") != NULL ? "writes" : "reads");
    if (access != NULL) {
        size = strtol(strstr(access, "size ") + strlen("size "), NULL, 10);
        buf_printf(&what, " %ld byte%s", size, size == 1 ? "" : "s");
    }
    add_region(&what, t->function, said, kind);
    buf_printf(&what, " (AddressSanitizer: %.*s)", (int)strcspn(kind, " \n"), kind);
    out->what = buf_take(&what);
}

/* --- both ------------------------------------------------------------------ */

int
bounds_find(const struct target *t, const char *folder, const char *values,
            struct bounds *out, struct report *r)
{
    char *text = bounds_main(t->function);
    struct bounds found = {0};
    struct buf output = {0};
    enum tool_end end = TOOL_OK;
    struct build b;
    int rc = build_open(t, NULL, folder, &b, r);

    if (rc == 0) {
        rc = build_write(&b, C_MAIN_NAME, text, strlen(text), r);
        if (rc == 0)
            rc = bounds_take_values(&b, values, r);
        if (rc == 0)
            rc = tool_compile_sanitized(&b, &output, &end, r);
        buf_clear(&output);
        if (rc == 0 && end == TOOL_OK)
            rc = tool_run_sanitized(&b, &output, &end, r);
        if (rc == 0)
            bounds_read(t, buf_str(&output), &found);
        build_close(&b);
    }
    buf_free(&output);
    free(text);
    if (rc == 0)
        *out = found;
    return rc;
}
