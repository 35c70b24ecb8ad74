/*
 * Reading problem.json: a place in it, typed getters that report instead of guessing, and
 * what each file that reads a part of it offers to the others. Only those files include
 * this header, and `warpjudge problem new`, which parses what it has written, and tests.
 * All others include problem/problem.h.
 *
 * Errors are given to a callback with their JSON path, and reading goes on, so that an
 * author sees all of them at once. A getter that failed has reported the error. Its
 * caller only leaves out what depends on the missing value.
 */
#ifndef PROBLEM_SPEC_H
#define PROBLEM_SPEC_H

#include "base/arena.h"
#include "problem/expr.h"
#include "problem/problem.h"
#include "problem/problem_check.h"

#include <cjson/cJSON.h>

/* A place in the document: a list of steps from the innermost outwards, which lies on the
 * readers' stacks. Where key is NULL, the step is element `index` of an array. The root
 * is a NULL pointer. */
struct at {
    const struct at *up;
    const char *key;
    int index;
};

struct spec {
    struct problem *problem;
    struct arena *arena;
    struct expr_name names[PROBLEM_PARAMS_MAX]; /* the scalars */
    int name_count;
    problem_error_fn *on_error;
    void *context;
    int errors;
};

/* The JSON path of a place, as in "$.tests[1]". The caller frees it. */
char *spec_place(const struct at *at);

void spec_error(struct spec *s, const struct at *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports the sentence of r at this place, and clears r. */
void spec_report(struct spec *s, const struct at *at, struct report *r);

/* 0 if `object` is an object whose keys are all in the NULL-terminated list, each once.
 * Every other key is reported. */
int spec_object(struct spec *s, const struct at *at, const cJSON *object,
                const char *const *known);

/* A member of an object, or NULL. Where it is missing and required, that is reported. */
const cJSON *spec_member(struct spec *s, const struct at *at, const cJSON *object,
                         const char *key, bool required);

/* Typed values at a place: 0, or -1 after having reported what is there instead. */
int spec_string(struct spec *s, const struct at *at, const cJSON *item, const char **out);
int spec_bool(struct spec *s, const struct at *at, const cJSON *item, bool *out);
int spec_number(struct spec *s, const struct at *at, const cJSON *item, double *out);
int spec_whole(struct spec *s, const struct at *at, const cJSON *item, double lo,
               double hi, double *out);
int spec_array(struct spec *s, const struct at *at, const cJSON *item, int min, int max);

/* A number, or an expression in a string. NULL where the error has been reported. */
const struct expr *spec_expr(struct spec *s, const struct at *at, const cJSON *item,
                             enum expr_kind kind);

/* --- values_read.c ------------------------------------------------------------------ */

/* The values that `item` describes for parameter `param`. NULL where the error has been
 * reported. */
const struct value_spec *values_read(struct spec *s, const struct at *at,
                                     const cJSON *item, int param);

/* --- problem_params.c --------------------------------------------------------------- */

/* Reads "params" into the problem's parameters and the names of its scalars. */
void params_read(struct spec *s, const cJSON *root);

/* Reads "compare", the rule of every output that has none of its own. */
void tolerances_read(struct spec *s, const cJSON *root);

/* --- problem_tests.c ---------------------------------------------------------------- */

/* Reads "tests", "benchmark" and "work". */
void tests_read(struct spec *s, const cJSON *root);

/* --- accept.c ----------------------------------------------------------------------- */

/* Reads "accepts". */
void accepts_read(struct spec *s, const cJSON *root);

/* --- libraries_read.c --------------------------------------------------------------- */

/* Reads "libraries". */
void libraries_read(struct spec *s, const cJSON *root);

/* --- problem_verify.c --------------------------------------------------------------- */

/* Checks what can only be seen when the whole spec is known: every test's extents,
 * memory, values and work. It may be called only where reading found no errors. */
void problem_verify(struct spec *s);

/* --- problem_read.c ----------------------------------------------------------------- */

/* A problem from the text of its problem.json, without looking at the disk. folder may be
 * NULL. Where the text has errors it returns NULL. Every error has then been given to
 * on_error(), and their number is added to *errors. */
struct problem *problem_parse(const char *slug, const char *folder, const char *text,
                              size_t len, problem_error_fn *on_error, void *context,
                              int *errors);

/* The same for the folder DIR/SLUG, whose other files are looked for, too. */
struct problem *problem_read(const char *dir, const char *slug,
                             problem_error_fn *on_error, void *context, int *errors);

#endif
