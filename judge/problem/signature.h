/*
 * From a C prototype, as the author of a problem has it at hand, to the parameters of a
 * spec:
 *
 *     void solve(const float* A, float B[M][N], int M, int N)
 *
 * `extern "C"`, the function's name, restrict and a semicolon are optional. Extents in
 * brackets are kept as text, because a spec's shape can hold any expression.
 */
#ifndef PROBLEM_SIGNATURE_H
#define PROBLEM_SIGNATURE_H

#include "base/report.h"
#include "numbers/dtype.h"
#include "problem/problem.h"

#include <stdbool.h>

struct signature_param {
    char *name;
    enum dtype type;
    bool pointer;  /* it is a pointer or an array */
    bool is_const; /* what it points to is const */
    int rank;      /* how many extents are written */
    char *extent[PROBLEM_RANK_MAX];
};

struct signature {
    int count;
    struct signature_param param[PROBLEM_PARAMS_MAX];
};

/* The caller calls signature_free(), also after a failure. */
int signature_parse(const char *text, struct signature *out, struct report *r);
void signature_free(struct signature *s);

#endif
