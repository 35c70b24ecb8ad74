/*
 * Seeds of the timed runs on emu. A modelled time must come out the same whenever the
 * same source is judged, also where a kernel's work depends on its data; so these seeds
 * are not drawn at random. Nor may anybody know them, or learn them from an earlier
 * judgement: a reduction's few right answers could otherwise be written into the source.
 * They are therefore made from the source's own bytes and a secret of this installation.
 */
#ifndef ARBITER_MEASURING_SEEDS_H
#define ARBITER_MEASURING_SEEDS_H

#include "base/report.h"

#include <stdint.h>

struct seeds {
    char key[65]; /* of secret, problem and source, in hexadecimal */
};

/* The secret is cache_dir/timing-secret, made where there is none; one that is lost costs
 * no more than that times differ a little from then on. source: the submission's path. */
int seeds_open(struct seeds *s, const char *cache_dir, const char *problem,
               const char *source, struct report *r);

uint64_t seeds_call(const struct seeds *s, int call);

#endif
