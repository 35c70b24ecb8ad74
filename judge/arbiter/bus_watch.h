/*
 * Work that the host does. The card takes some 300 us to turn to a program's context and
 * back, which is in every interval and charged to nobody; meanwhile its copy engines can
 * fetch the inputs, the host compute, and the engines bring the answers, beside an empty
 * kernel. What goes over the card's bus for that is counted by the card. Calls that send
 * much more over it than empty calls do are suspected: who looks at the board is told,
 * but nobody is refused, since a solve() may well ask the host a thing or two.
 *
 * Pure functions.
 */
#ifndef ARBITER_BUS_WATCH_H
#define ARBITER_BUS_WATCH_H

#include "arbiter/call_set.h"

#include <stdbool.h>

/* Could the host do this work in that time? Not more data than get over a bus, and not
 * where they are in host memory anyway. buffer_bytes: each once in each direction. */
bool bus_is_watched(const struct problem *p, double buffer_bytes);

/* Did a call send an eighth of its buffers over the bus, beyond what empty calls send?
 * Both may be < 0: not known, and then it did not. */
bool bus_is_suspect(double empty_bytes, double call_bytes, double buffer_bytes);

#endif
