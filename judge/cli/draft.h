/* The files of a new problem, made from its signature: what `warpjudge problem new`
 * writes. */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include "core/buf.h"
#include "core/signature.h"

/* What statement.md begins with, until its author says what solve() computes. */
#define DRAFT_SENTENCE "Say here what `solve` computes"

struct draft {
    const char *slug, *title, *difficulty;
    struct signature signature; /* every pointer has its extents */
};

/* Gives the pointers without extents the one that there can only be: the whole-number
 * scalar, where there is exactly one. Returns the first that is left without, -1: none.
 */
int draft_fill_extents(struct signature *s);

/* problem.json, with sizes for tests and benchmarks; statement.md, whose example has `?`
 * for what the reference computes; reference.c without its inside. -1: the signature
 * makes no problem, and why. */
int draft_spec(const struct draft *d, struct buf *out, struct report *r);
void draft_statement(const struct draft *d, struct buf *out);
void draft_reference(const struct draft *d, struct buf *out);

#endif
