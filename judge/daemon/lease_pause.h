/*
 * The pause of all leases after this machine has failed at one: what a worker has
 * compiled could not be kept, or not even that an attempt has failed. The machine is in
 * trouble then, most often by a full disk, and the attempt does not count. Without a
 * pause it would be leased again at once, without end.
 *
 * A pause lasts for two seconds, and then for as long as there is no room on the disk for
 * an artefact. It is private to queue.c.
 */
#ifndef DAEMON_LEASE_PAUSE_H
#define DAEMON_LEASE_PAUSE_H

#include "base/report.h"

#include <stdbool.h>
#include <stdint.h>

struct lease_pause {
    uint64_t until_ns; /* CLOCK_MONOTONIC; 0: there is none */
    struct report why; /* for people */
};

void lease_pause_begin(struct lease_pause *p, const struct report *why);

/* Is there a pause still? Where its time is over, it looks at the folder of jobs, and
 * then again two seconds later. */
bool lease_pause_lasts(struct lease_pause *p, const char *jobs);

#endif
