/*
 * A C prototype as the author of a problem has it at hand, to the parameters of a spec:
 *
 *     void solve(const float* A, float B[M][N], int M, int N)
 *
 * `extern "C"`, the function's name, restrict and a semicolon may be there or not.
 * Extents in brackets are kept as text: any expression that a spec's shape can hold.
 */
#ifndef CORE_SIGNATURE_H
#define CORE_SIGNATURE_H

#include "core/dtype.h"
#include "core/problem.h"
#include "core/report.h"

#include <stdbool.h>

struct signature_param {
    char *name;
    enum dtype type;
    bool pointer;  /* or an array */
    bool is_const; /* what it points to */
    int rank;      /* how many extents are written; 0: none */
    char *extent[PROBLEM_RANK_MAX];
};

struct signature {
    int count;
    struct signature_param param[PROBLEM_PARAMS_MAX];
};

/* signature_free also after a failure. */
int signature_parse(const char *text, struct signature *out, struct report *r);
void signature_free(struct signature *s);

#endif
