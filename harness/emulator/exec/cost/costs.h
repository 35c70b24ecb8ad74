/* What launches have cost, booked to kernels and source lines (costs.c). */
#ifndef EMULATOR_COSTS_H
#define EMULATOR_COSTS_H

#include "../kernel.h"
#include "model.h"

enum { RETIRED_MAX = 16 }; /* kernels of modules that are gone */

/* Memory for a launch's sums; -1: there is none. */
int costs_begin(struct kernel *k);

/* Adds up what the workers counted, has the time modelled, and books both to the kernel
 * and its lines. */
void costs_end(struct machine *m, struct kernel *k, const struct launch_shape *shape,
               int workers);
void costs_free(struct kernel *k);

/* Before a kernel goes: keeps what it has cost, of the RETIRED_MAX costliest. */
void costs_retire(struct machine *m, const struct kernel *k);

#endif
