/*
 * Reading problem.json: a place in it, typed getters that report instead of guessing, and
 * what each file that reads a part of it offers to the others. For those files, for
 * `warpjudge problem new`, which parses what it has written, and for tests. All others
 * include core/problem.h.
 *
 * Errors are given to a callback with their JSON path and reading goes on, so that an
 * author sees all of them at once. A getter that failed has reported; its caller only
 * leaves out what depends on the missing value.
 */
#ifndef CORE_SPEC_H
#define CORE_SPEC_H

#include "core/arena.h"
#include "core/expr.h"
#include "core/problem.h"
#include "core/problem_check.h"

#include <cjson/cJSON.h>

/* A place in the document: a list from the innermost step outwards, on the readers'
 * stacks. key NULL: element `index` of an array. The root is NULL. */
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

void spec_error(struct spec *s, const struct at *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hands a report's sentence on; clears it. */
void spec_report(struct spec *s, const struct at *at, struct report *r);

/* 0 if `object` is an object whose keys are all of the NULL-terminated list and come
 * once; every other key is reported. */
int spec_object(struct spec *s, const struct at *at, const cJSON *object,
                const char *const *known);

/* A member; where it is missing NULL and, if required, an error. */
const cJSON *spec_member(struct spec *s, const struct at *at, const cJSON *object,
                         const char *key, bool required);

/* Typed values at a place: 0, or -1 and an error that says what is there instead. */
int spec_string(struct spec *s, const struct at *at, const cJSON *item, const char **out);
int spec_bool(struct spec *s, const struct at *at, const cJSON *item, bool *out);
int spec_number(struct spec *s, const struct at *at, const cJSON *item, double *out);
int spec_whole(struct spec *s, const struct at *at, const cJSON *item, double lo,
               double hi, double *out);
int spec_array(struct spec *s, const struct at *at, const cJSON *item, int min, int max);

/* A number or an expression in a string. NULL: reported. */
const struct expr *spec_expr(struct spec *s, const struct at *at, const cJSON *item,
                             enum expr_kind kind);

/* --- values_read.c ------------------------------------------------------------------ */

/* The generator that `item` describes for parameter `param`. NULL: reported. */
const struct value_spec *values_read(struct spec *s, const struct at *at,
                                     const cJSON *item, int param);

/* --- problem_params.c --------------------------------------------------------------- */

/* "params": fills the problem's parameters and the names of its scalars. */
void params_read(struct spec *s, const cJSON *root);

/* "compare": the rule of every output that has none of its own. */
void tolerances_read(struct spec *s, const cJSON *root);

/* --- accept.c ----------------------------------------------------------------------- */

/* "accepts" */
void accepts_read(struct spec *s, const cJSON *root);

/* --- libraries_read.c --------------------------------------------------------------- */

/* "libraries" */
void libraries_read(struct spec *s, const cJSON *root);

/* --- problem_verify.c --------------------------------------------------------------- */

/* What can only be seen with all of the spec at hand: every test's extents, memory,
 * values and work. Call where reading went without errors. */
void problem_verify(struct spec *s);

/* --- problem_read.c ----------------------------------------------------------------- */

/* A problem from the text of its problem.json; does not touch the disk. NULL: every error
 * has been given to on_error, their number is added to *errors. folder may be NULL. */
struct problem *problem_parse(const char *slug, const char *folder, const char *text,
                              size_t len, problem_error_fn *on_error, void *context,
                              int *errors);

/* The same for DIR/SLUG, with the references looked for. */
struct problem *problem_read(const char *dir, const char *slug,
                             problem_error_fn *on_error, void *context, int *errors);

#endif
