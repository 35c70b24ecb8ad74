/* The costs of launches, booked to kernels and source lines (costs.c). */
#ifndef EMULATOR_COSTS_H
#define EMULATOR_COSTS_H

#include "../kernel.h"
#include "model.h"

enum { RETIRED_MAX = 16 }; /* kernels of modules that are gone */

/* Makes the sums of a kernel before its launch; -1: the host has no memory. */
int costs_begin(struct kernel *k);

/* Adds up what the workers counted, models the time, and books both to the kernel and its
 * lines. */
void costs_end(struct machine *m, struct kernel *k, const struct launch_shape *shape,
               int workers);
void costs_free(struct kernel *k);

/* Keeps the costs of a kernel that goes, if it is one of the RETIRED_MAX costliest. */
void costs_retire(struct machine *m, const struct kernel *k);

#endif
