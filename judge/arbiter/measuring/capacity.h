/* Has a card room for two judgements: one that runs, and the next, which prepares? */
#ifndef ARBITER_MEASURING_CAPACITY_H
#define ARBITER_MEASURING_CAPACITY_H

#include "device/device.h"
#include "problem/problem.h"

#include <stdbool.h>

/* Asked of both. It has where neither's buffers take more than a small part of its
 * memory, so that no submission is refused memory for a neighbour's sake: what it needs
 * beside its arguments is not known, but mostly of their size. */
bool capacity_beside(const struct problem *p, const struct device *d);

#endif
