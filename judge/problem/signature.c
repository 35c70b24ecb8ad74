/* Reads a C prototype word by word into parameters: types, names and extents. */
#include "problem/signature.h"

#include "base/buf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 8 /* of a type; "unsigned long long int" has four */

/* Further names that C and C++ have for a type. The name that numbers/dtype.h has for it
 * is looked for first. */
static const struct {
    const char *name;
    enum dtype type;
} aliases[] = {
    {"half", DTYPE_F16},
    {"nv_bfloat16", DTYPE_BF16},
    {"signed char", DTYPE_I8},
    {"unsigned char", DTYPE_U8},
    {"short", DTYPE_I16},
    {"unsigned short", DTYPE_U16},
    {"signed", DTYPE_I32},
    {"signed int", DTYPE_I32},
    {"int32_t", DTYPE_I32},
    {"unsigned", DTYPE_U32},
    {"uint32_t", DTYPE_U32},
    {"long", DTYPE_I64},
    {"long int", DTYPE_I64},
    {"long long", DTYPE_I64},
    {"long long int", DTYPE_I64},
    {"unsigned long", DTYPE_U64},
    {"unsigned long long", DTYPE_U64},
    {"size_t", DTYPE_U64},
};

struct words {
    char *word[WORDS_MAX];
    int count;
};

static const char *
signature_skip_blank(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static bool
is_word(const char *p)
{
    return isalpha((unsigned char)*p) || *p == '_';
}

static char *
take_word(const char **at)
{
    const char *start = *at;

    while (isalnum((unsigned char)**at) || **at == '_')
        (*at)++;
    return xasprintf("%.*s", (int)(*at - start), start);
}

static bool
is_qualifier(const char *word)
{
    static const char *const all[] = {"restrict", "__restrict", "__restrict__",
                                      "volatile", "std"};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i]) == 0)
            return true;
    return false;
}

/* --- one parameter ------------------------------------------------------------------ */

/* Does an earlier type of the table have the same name in C++? Several are uint8_t. */
static bool
is_repeated(enum dtype type)
{
    for (enum dtype t = 0; t < type; t++)
        if (strcmp(dtype_ctype(t), dtype_ctype(type)) == 0)
            return true;
    return false;
}

static void
signature_report_unknown(const char *type, const char *param, struct report *r)
{
    struct buf list = {0};

    for (enum dtype t = 0; t < DTYPE_COUNT; t++)
        if (!is_repeated(t))
            buf_printf(&list, "%s%s", t > 0 ? ", " : "", dtype_ctype(t));
    report_fail(r, "%s: there is no element type \"%s\"; known are %s", param, type,
                buf_str(&list));
    buf_free(&list);
}

static int
find_type(const struct words *w, struct signature_param *p, struct report *r)
{
    struct buf name = {0};
    bool found = false;

    for (int i = 0; i < w->count; i++)
        buf_printf(&name, "%s%s", i > 0 ? " " : "", w->word[i]);
    /* The search runs from the end: several types are uint8_t in C++, and uint8 is the
     * last of them. */
    for (int t = DTYPE_COUNT - 1; !found && t >= 0; t--) {
        found = strcmp(buf_str(&name), dtype_ctype((enum dtype)t)) == 0;
        if (found)
            p->type = (enum dtype)t;
    }
    for (size_t i = 0; !found && i < sizeof aliases / sizeof *aliases; i++) {
        found = strcmp(buf_str(&name), aliases[i].name) == 0;
        if (found)
            p->type = aliases[i].type;
    }
    if (!found)
        signature_report_unknown(buf_str(&name), p->name, r);
    buf_free(&name);
    return found ? 0 : -1;
}

/* Reads extents such as "[M][2 * N]". An empty bracket says only that it is an array. */
static int
read_extents(const char **at, struct signature_param *p, struct report *r)
{
    while (*(*at = signature_skip_blank(*at)) == '[') {
        const char *start = signature_skip_blank(*at + 1), *close = strchr(start, ']'),
                   *end = close;

        if (close == NULL)
            return report_fail(r, "%s: a bracket is left open", p->name);
        if (p->rank == PROBLEM_RANK_MAX)
            return report_fail(r, "%s: more than %d extents", p->name, PROBLEM_RANK_MAX);
        p->pointer = true;
        while (end > start && isspace((unsigned char)end[-1]))
            end--;
        if (end > start)
            p->extent[p->rank++] = xasprintf("%.*s", (int)(end - start), start);
        *at = close + 1;
    }
    return 0;
}

/* Reads the words of the type and the name, up to what follows the name. */
static int
read_words(const char **at, struct words *w, struct signature_param *p, struct report *r)
{
    for (;;) {
        const char *here = *at = signature_skip_blank(*at);

        if (*here == '*') {
            if (p->pointer)
                return report_fail(r, "a pointer to a pointer cannot be a parameter");
            p->pointer = true;
            (*at)++;
        } else if (*here == ':') {
            (*at)++; /* the second colon of "std::" */
        } else if (is_word(here)) {
            char *word = take_word(at);

            if (strcmp(word, "const") == 0 && !p->pointer)
                p->is_const = true;
            if (strcmp(word, "const") == 0 || is_qualifier(word)) {
                free(word);
            } else if (w->count == WORDS_MAX) {
                free(word);
                return report_fail(r, "a parameter has too many words");
            } else {
                w->word[w->count++] = word;
            }
        } else {
            return 0;
        }
    }
}

static int
read_param(const char **at, struct signature *s, struct report *r)
{
    struct signature_param *p = &s->param[s->count];
    struct words w = {0};
    int rc = read_words(at, &w, p, r);

    if (rc == 0 && w.count < 2)
        rc = report_fail(r, "parameter %d has no type or no name", s->count + 1);
    if (rc == 0) {
        p->name = w.word[--w.count];
        s->count++;
        rc = find_type(&w, p, r);
    }
    if (rc == 0)
        rc = read_extents(at, p, r);
    if (rc == 0 && !p->pointer && (p->type == DTYPE_F16 || p->type == DTYPE_BF16))
        rc = report_fail(r, "%s: a scalar cannot be of a 16-bit float type", p->name);
    for (int i = 0; i < w.count; i++)
        free(w.word[i]);
    return rc;
}

/* --- the whole ---------------------------------------------------------------------- */

/* Is the last word before the parenthesis, which is the function's name, "solve"? */
static bool
ends_in_solve(const char *text, const char *parenthesis)
{
    static const char name[] = "solve";
    const char *start;

    while (parenthesis > text && isspace((unsigned char)parenthesis[-1]))
        parenthesis--;
    start = parenthesis - strlen(name);
    return start >= text && strncmp(start, name, strlen(name)) == 0 &&
           (start == text || !(isalnum((unsigned char)start[-1]) || start[-1] == '_'));
}

/* How much of the text before the name is quoted. */
static int
signature_type_len(const char *text, const char *name)
{
    while (name > text && isspace((unsigned char)name[-1]))
        name--;
    return name - text < 40 ? (int)(name - text) : 40;
}

/* Refuses a solve() that returns something. Where no type stands before its name, void
 * is meant. */
static int
check_return(const char *text, const char *parenthesis, struct report *r)
{
    static const char *const words[] = {"extern", "\"C\"", "__host__", "void"};
    const char *name = parenthesis;

    while (strncmp(name, "solve", strlen("solve")) != 0)
        name--;
    for (const char *p = signature_skip_blank(text); p < name;
         p = signature_skip_blank(p)) {
        size_t i = 0;

        while (i < sizeof words / sizeof *words &&
               strncmp(p, words[i], strlen(words[i])) != 0)
            i++;
        if (i == sizeof words / sizeof *words)
            return report_fail(r,
                               "solve() returns void, and its results are in outputs: "
                               "write void solve(...), not \"%.*s\"",
                               signature_type_len(text, name), text);
        p += strlen(words[i]);
    }
    return 0;
}

int
signature_parse(const char *text, struct signature *out, struct report *r)
{
    const char *at = strchr(text, '(');

    *out = (struct signature){0};
    if (at == NULL)
        return report_fail(r,
                           "a signature looks like void solve(const float* A, float* B, "
                           "int N)");
    if (!ends_in_solve(text, at))
        return report_fail(r, "the function must be called solve");
    if (check_return(text, at, r) != 0)
        return -1;
    do {
        at++;
        if (out->count == PROBLEM_PARAMS_MAX)
            return report_fail(r, "more than %d parameters", PROBLEM_PARAMS_MAX);
        if (read_param(&at, out, r) != 0)
            return -1;
    } while (*at == ',');
    if (*at == '\0')
        return report_fail(r, "behind %s a comma or ) is missing",
                           out->param[out->count - 1].name);
    if (*at != ')')
        return report_fail(r, "behind %s a comma or ) is expected, not \"%.20s\"",
                           out->param[out->count - 1].name, at);
    at = signature_skip_blank(at + 1);
    if (*at == ';')
        at = signature_skip_blank(at + 1);
    if (*at != '\0' && *at != '{')
        return report_fail(r, "behind the signature stands \"%.20s\"", at);
    return 0;
}

void
signature_free(struct signature *s)
{
    for (int i = 0; i < PROBLEM_PARAMS_MAX; i++) {
        free(s->param[i].name);
        for (int k = 0; k < PROBLEM_RANK_MAX; k++)
            free(s->param[i].extent[k]);
    }
    *s = (struct signature){0};
}
