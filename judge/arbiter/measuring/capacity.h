/* Has a GPU memory for two judgements: one that runs, and a neighbour that prepares? */
#ifndef ARBITER_MEASURING_CAPACITY_H
#define ARBITER_MEASURING_CAPACITY_H

#include "device/device.h"
#include "problem/problem.h"

#include <stdbool.h>

/* Do a timed call's buffers of this problem, with the judge's copies of them, take at
 * most an eighth of the memory of the GPU d? So must the buffers of all tests together.
 * Each of the two arbiters asks this for its own problem. A submission's need beside its
 * arguments is not known, but mostly of their size. So if both answers are yes, no
 * submission lacks memory because of a neighbour. */
bool capacity_beside(const struct problem *p, const struct device *d);

#endif
