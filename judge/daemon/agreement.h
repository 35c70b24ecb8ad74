/*
 * Do the nodes of a board agree? A GPU's rates are measured with each judgement
 * (arbiter/measuring/calibration.h). Times of two nodes rank together on a board, so that
 * a node that is not like the others must not judge for it. All of this is pure.
 */
#ifndef DAEMON_AGREEMENT_H
#define DAEMON_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>

#define AGREEMENT_OFF 0.02 /* a larger difference, relative to the others' median */

/* What was measured of a GPU; 0: nothing was. */
struct node_rates {
    double copy_gbs, read_gbs, fp32_tflops;
};

/* Reads them out of a time's conditions, JSON or NULL. False where they are not there. */
bool agreement_read(const char *conditions, struct node_rates *out);

/* Says how a GPU differs from the median of the others of its board: "its copy bandwidth
 * is 5.1% below the 4100 of the other nodes". The caller frees. NULL: it agrees, or
 * there are no two others that agree with each other, and are more than half of all. */
char *agreement_off(const struct node_rates *own, const struct node_rates *others,
                    size_t count);

#endif
