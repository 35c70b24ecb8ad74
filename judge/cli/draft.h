/* The files of a new problem, made from its signature, which `warpjudge problem new`
 * writes. */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include "base/buf.h"
#include "problem/signature.h"

/* The first sentence of statement.md, until its author says what solve() computes. */
#define DRAFT_SENTENCE "Say here what `solve` computes"

struct draft {
    const char *slug, *title, *difficulty;
    struct signature signature; /* every pointer has its extents */
};

/* Gives extents to pointers that have none. Where the signature has exactly one
 * whole-number scalar, that is their extent. Returns the first pointer that is left
 * without, or -1. */
int draft_fill_extents(struct signature *s);

/* These make problem.json with sizes for tests and benchmarks, statement.md, and a
 * reference.c without its body. The example of statement.md has `?` for what the
 * reference computes. -1 and a report where the signature makes no problem. */
int draft_spec(const struct draft *d, struct buf *out, struct report *r);
void draft_statement(const struct draft *d, struct buf *out);
void draft_reference(const struct draft *d, struct buf *out);

#endif
