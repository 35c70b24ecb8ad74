/* Reads the examples of a statement.md: it finds their headings, takes the lines below
 * them that are indented or fenced, and reads each "name = value". */
#include "problem/example.h"

#include "base/buf.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define RANK_MAX 8

struct reader {
    const char *at;    /* the next character */
    const char *begin; /* where the line that is read begins */
    int line;
    struct examples *out;
};

/* --- numbers and arrays ------------------------------------------------------------- */

/* Half a unit of the last digit of the number between `from` and `to`. */
static double
half_unit(const char *from, const char *to)
{
    const char *point = memchr(from, '.', (size_t)(to - from));
    const char *exponent = from;
    long digits = 0, power = 0;

    while (exponent < to && *exponent != 'e' && *exponent != 'E')
        exponent++;
    if (point != NULL)
        digits = exponent - point - 1;
    if (exponent < to)
        power = strtol(exponent + 1, NULL, 10);
    return point == NULL && exponent == to ? 0 : 0.5 * pow(10, (double)(power - digits));
}

static bool
example_read_number(struct reader *r, struct example_number *out)
{
    char *end;
    double value = strtod(r->at, &end);
    const bool hex = strncasecmp(r->at + strspn(r->at, "+-"), "0x", 2) == 0;

    if (end == r->at)
        return false;
    out->value = value;
    out->half_unit = isfinite(value) && !hex ? half_unit(r->at, end) : 0;
    r->at = end;
    return true;
}

static void
example_add_number(struct example_value *v, struct example_number number)
{
    if ((v->count & (v->count - 1)) == 0)
        v->number =
            xrealloc(v->number, sizeof *v->number * (v->count > 0 ? 2 * v->count : 1));
    v->number[v->count++] = number;
}

static void
example_skip_blank(struct reader *r, bool lines)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' ||
           (lines && *r->at == '\n')) {
        if (*r->at == '\n')
            r->line++;
        r->at++;
    }
}

/* What the reader is at, for a sentence. The caller frees. */
static char *
example_here(const struct reader *r)
{
    size_t len = strcspn(r->at, "\r\n");

    return len == 0 ? xstrdup("the end of the line")
                    : xasprintf("\"%.*s\"", (int)(len < 20 ? len : 20), r->at);
}

static void
set_wrong(struct example_value *v, const struct reader *r, const char *expected)
{
    char *found = example_here(r);

    v->wrong = xasprintf("%s, but there is %s", expected, found);
    free(found);
}

/* Reads an array; the reader is at its '['. Only the innermost brackets hold numbers,
 * each of them equally many. */
static bool
read_array(struct reader *r, struct example_value *v, int depth)
{
    size_t numbers = 0, items = 0;

    if (depth > RANK_MAX) {
        set_wrong(v, r, "brackets are nested at most 8 deep");
        return false;
    }
    if (depth > v->rank)
        v->rank = depth;
    do {
        struct example_number number;

        r->at++;
        example_skip_blank(r, true);
        if (*r->at == '[') {
            if (numbers > 0 || !read_array(r, v, depth + 1))
                break;
        } else if (example_read_number(r, &number)) {
            example_add_number(v, number);
            numbers++;
        } else {
            break;
        }
        items++;
        example_skip_blank(r, true);
    } while (*r->at == ',');
    if (v->wrong != NULL)
        return false;
    if (*r->at != ']' || items == 0) {
        set_wrong(v, r, "numbers in brackets with commas between them are expected");
        return false;
    }
    r->at++;
    if (numbers > 0 && (depth != v->rank || (v->last > 0 && v->last != numbers))) {
        v->wrong = xstrdup("its rows are not equally long");
        return false;
    }
    if (numbers > 0)
        v->last = numbers;
    return true;
}

/* --- lines -------------------------------------------------------------------------- */

static void
example_add_value(struct reader *r, struct example_value v)
{
    struct example *e = &r->out->example[r->out->count - 1];

    e->value = xrealloc(e->value, sizeof *e->value * (size_t)(e->count + 1));
    e->value[e->count++] = v;
}

/* Reads the value of `name` behind the "=". False: the rest of the line is a note. */
static bool
read_value(struct reader *r, char *name)
{
    struct example_value v = {.name = name, .line = r->line};
    struct example_number number;

    example_skip_blank(r, false);
    v.column = (int)(r->at - r->begin);
    if (*r->at == '?') {
        v.wanted = true;
        r->at++;
    } else if (*r->at == '[') {
        read_array(r, &v, 1);
    } else if (example_read_number(r, &number)) {
        example_add_number(&v, number);
        v.last = 1;
    } else {
        free(name);
        return false;
    }
    example_skip_blank(r, false);
    if (v.wrong == NULL && *r->at != '\0' && strchr(",;\r\n", *r->at) == NULL)
        set_wrong(&v, r, "an array is written [1, 2, 3], and nothing may follow a value");
    example_add_value(r, v);
    return v.wrong == NULL;
}

/* Reads "name =". The name, which the caller frees, or NULL where there is none. */
static char *
example_read_name(struct reader *r)
{
    const char *start = r->at, *end = start;

    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    r->at = end;
    example_skip_blank(r, false);
    if (end == start || isdigit((unsigned char)*start) || *r->at != '=' ||
        r->at[1] == '=')
        return NULL;
    r->at++;
    return xasprintf("%.*s", (int)(end - start), start);
}

static void
read_line(struct reader *r)
{
    do {
        char *name;

        while (*r->at == ',' || *r->at == ';')
            r->at++;
        example_skip_blank(r, false);
        name = example_read_name(r);
        if (name == NULL || !read_value(r, name))
            break;
    } while (*r->at == ',' || *r->at == ';');
}

/* --- the statement ------------------------------------------------------------------ */

static int
heading_level(const char *line)
{
    size_t level = strspn(line, "#");

    return level <= 6 && line[level] == ' ' ? (int)level : 0;
}

static bool
is_example(const char *heading)
{
    heading += strspn(heading, "# ");
    return strncasecmp(heading, "example", strlen("example")) == 0;
}

static void
begin_example(struct reader *r)
{
    struct examples *out = r->out;

    out->example =
        xrealloc(out->example, sizeof *out->example * (size_t)(out->count + 1));
    out->example[out->count++] = (struct example){.line = r->line};
}

void
examples_read(const char *text, struct examples *out)
{
    struct reader r = {.at = text, .line = 1, .out = out};
    bool fenced = false;
    int inside = 0; /* the level of the example's heading; 0: not inside an example */

    *out = (struct examples){0};
    while (*r.at != '\0') {
        const char *line = r.at;
        const int level = fenced ? 0 : heading_level(line);
        const bool fence = strncmp(line + strspn(line, " "), "```", 3) == 0;

        if (level > 0 && is_example(line)) {
            inside = level;
            begin_example(&r);
        } else if (level > 0 && level <= inside) {
            inside = 0;
        } else if (fence) {
            fenced = !fenced;
        } else if (inside > 0 &&
                   (fenced || *line == '\t' || strncmp(line, "    ", 4) == 0)) {
            r.begin = line;
            example_skip_blank(&r, false);
            read_line(&r);
        }
        r.at += strcspn(r.at, "\n");
        if (*r.at == '\n') {
            r.at++;
            r.line++;
        }
    }
}

void
examples_free(struct examples *e)
{
    for (int i = 0; i < e->count; i++) {
        for (int k = 0; k < e->example[i].count; k++) {
            free(e->example[i].value[k].name);
            free(e->example[i].value[k].wrong);
            free(e->example[i].value[k].number);
        }
        free(e->example[i].value);
    }
    free(e->example);
    *e = (struct examples){0};
}
