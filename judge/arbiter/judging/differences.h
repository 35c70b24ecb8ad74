/* Lists the first elements of outputs that differ from what is expected. */
#ifndef ARBITER_JUDGING_DIFFERENCES_H
#define ARBITER_JUDGING_DIFFERENCES_H

#include "arbiter/judging/reference.h"

#define DIFFERENCES_MAX 8 /* elements of each output */

/* Adds lines for each wrong output that is compared element by element: how many
 * elements are wrong, and the first of them with what they are and what is expected. */
int differences_describe(struct device *d, const struct call_set *set,
                         const struct answer *a, struct buf *out, struct report *r);

#endif
