/*
 * Notices work that the host does instead of the GPU.
 *
 * A GPU takes 282 us to switch to the submission's context and back, and that is
 * subtracted from every interval. Meanwhile its copy engines could fetch the inputs, the
 * host compute, and the engines bring the outputs, beside an empty kernel. The copies
 * need not even wait for the clock: no kernel of the submission begins before it, but
 * copies do, as soon as there are inputs.
 *
 * So a call whose data went over the GPU's bus has a full interval: it begins where the
 * arbiter began to make the inputs, and nothing is subtracted. That is never less than
 * what the call used, and nobody is refused for it. The GPU counts the bytes. What needs
 * hardly any data in host memory is free: launches, arguments, a flag that is read back.
 *
 * Pure functions. A count below 0 means that it is not known.
 */
#ifndef ARBITER_MEASURING_BUS_WATCH_H
#define ARBITER_MEASURING_BUS_WATCH_H

#include "problem/problem.h"

#include <stdbool.h>

/* Do the bytes on the bus tell anything for this problem? They do not if a buffer is in
 * host memory anyway. Nor do they with two GPUs: only one is asked, and outputs are
 * copied after DONE. */
bool bus_is_watched(const struct problem *p);

/* Is all that we do before a call and after it done on the GPU, so that next to nothing
 * of it goes over the bus? It is not if inputs are made or outputs are looked at on the
 * host. The reference is another matter (reference_is_on_target). */
bool bus_is_silent(const struct problem *p);

/* The bytes that a call sent beyond what an empty call sends; < 0: not known. */
double bus_beyond_empty(double empty_bytes, double call_bytes);

/* How many of these bytes are free. work_bytes is what the spec says of the work, or 0.
 * buffer_bytes counts each buffer once in each direction. The smaller of the two decides,
 * since some work is on a part of the buffers and some reads them twice. */
double bus_free_bytes(double work_bytes, double buffer_bytes);

/* Are so few bytes free that a context of a neighbour's, which is made beside calls,
 * would make many of them seem to have sent more? */
bool bus_is_narrow(double bus_free);

/* How many more bytes are free in a call that takes so much longer than an empty one.
 * Launches go over the bus, too, and a long call may have thousands. To send these bytes
 * as launches takes the host all that time, in which a GPU's memory moves some ten
 * thousand times as many. */
double bus_free_of_launches(double beyond_empty_ns);

#endif
