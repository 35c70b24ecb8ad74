/*
 * A source makes the elements of one description on the host, in order. values_make.c
 * stores them into buffers. Private to values_make.c and values_source.c.
 */
#ifndef PROBLEM_VALUES_SOURCE_H
#define PROBLEM_VALUES_SOURCE_H

#include "problem/value_spec.h"

/* Makes the inputs of one call. */
struct maker {
    const struct problem *p;
    const struct test_case *t;
    uint64_t seed;
    void *made[PROBLEM_PARAMS_MAX]; /* inputs that formulas read; NULL: not made yet */
    uint64_t count[PROBLEM_PARAMS_MAX];
};

struct values_source;

/* NULL where the error has been reported. The maker must outlive the source. */
struct values_source *values_source_open(struct maker *m, const struct value_spec *v,
                                         const struct extent *extent, uint32_t stream,
                                         struct report *r);
void values_source_free(struct values_source *s); /* s may be NULL */

/* Makes the next element. Where that fails, it stays the next one. */
int values_source_next(struct values_source *s, double *out, struct report *r);
uint64_t values_source_at(const struct values_source *s);

/* Goes on from element `at`. It may be called only where values_source_is_free() says
 * that each element depends on nothing but its place. */
void values_source_seek(struct values_source *s, uint64_t at);
bool values_source_is_free(const struct value_spec *v, const struct extent *extent);

/* Makes m->made[param], if it is not made yet, for a formula that reads it
 * (values_make.c). */
int values_make_read(struct maker *m, int param, struct report *r);

#endif
