/*
 * One description being made on the host, element by element and in order: what
 * values_make.c stores into buffers. Private to it and values_source.c.
 */
#ifndef CORE_VALUES_SOURCE_H
#define CORE_VALUES_SOURCE_H

#include "core/values_impl.h"

/* The inputs of one call being made. */
struct maker {
    const struct problem *p;
    const struct test_case *t;
    uint64_t seed;
    void *made[PROBLEM_PARAMS_MAX]; /* what formulas read; NULL: not yet */
    uint64_t count[PROBLEM_PARAMS_MAX];
};

struct values_source;

/* NULL: reported. The maker outlives it. */
struct values_source *values_source_open(struct maker *m, const struct value_spec *v,
                                         const struct extent *extent, uint32_t stream,
                                         struct report *r);
void values_source_free(struct values_source *s); /* s may be NULL */

/* The element that comes next; it stays the next where it fails. */
int values_source_next(struct values_source *s, double *out, struct report *r);
uint64_t values_source_at(const struct values_source *s);

/* Goes on from element `at`: where values_source_is_free says that elements know their
 * place only. */
void values_source_seek(struct values_source *s, uint64_t at);
bool values_source_is_free(const struct value_spec *v, const struct extent *extent);

/* values_make.c: sees to it that m->made[param] is there, for formulas that read it. */
int values_make_read(struct maker *m, int param, struct report *r);

#endif
