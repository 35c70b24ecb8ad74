/*
 * Work that the host does. The card takes 282 us to turn to a program's context and back,
 * which is subtracted from everybody's intervals; meanwhile its copy engines can fetch
 * the inputs, the host compute, and the engines bring the answers, beside an empty
 * kernel. They need not wait for the clock, either: no kernel of the program's begins
 * before it, but copies do, as soon as there are inputs.
 *
 * So a call whose data went over the card's bus counts whole: from where its inputs began
 * to be made, and with nothing subtracted. That is never less than what it used, and
 * nobody is refused for it. The card counts the bytes. What needs no data in the host's
 * memory, or hardly any, is free: launches, arguments, a flag that is read back.
 *
 * Pure functions. Bytes < 0 are not known.
 */
#ifndef ARBITER_MEASURING_BUS_WATCH_H
#define ARBITER_MEASURING_BUS_WATCH_H

#include "problem/problem.h"

#include <stdbool.h>

/* Can the bytes on the bus tell? Not where the buffers are in host memory anyway; nor
 * with two cards, of which one is asked and whose outputs are copied after DONE. */
bool bus_is_watched(const struct problem *p);

/* What a call sent beyond what empty calls send; < 0: not known. */
double bus_beyond_empty(double empty_bytes, double call_bytes);

/* So many of them are free. work_bytes: what the spec says of the work, 0 if nothing;
 * buffer_bytes: each buffer once in each direction. The less of the two counts: some work
 * is on a part of the buffers, some reads them twice. */
double bus_free_bytes(double work_bytes, double buffer_bytes);

/* And so many more in a call that takes so long beyond an empty one: launches go over the
 * bus, too, and a long call may have thousands. What they may send in a time takes the
 * host that time, in which a card moves some ten thousand times as much. */
double bus_free_of_launches(double beyond_empty_ns);

#endif
