/*
 * Vector clocks (struct race_vc), for race_clock.c. Where the host has no memory for one,
 * the detector goes blind (race->blind) and reports no more races.
 */
#ifndef EMULATOR_RACE_VC_H
#define EMULATOR_RACE_VC_H

#include "race.h"

/* The stamp up to which the reads, or all accesses, of the block's key are known. 0: none
 * are. */
uint32_t race_vc_get(const struct race_vc *vc, uint32_t block, uint32_t key,
                     bool is_read);
/* Makes the key known up to the stamp, unless it is known further. */
void race_vc_put(struct race *r, struct race_vc *vc, uint32_t block, uint32_t key,
                 uint32_t stamp);
/* Makes `to` the larger of both in each entry. */
void race_vc_join(struct race *r, struct race_vc *to, const struct race_vc *from);

/* The same for clocks that are made at their first use: *vc, *to and from may be NULL. */
struct race_vc *race_vc_at(struct race *r, struct race_vc **vc);
void race_vc_join_at(struct race *r, struct race_vc **to, const struct race_vc *from);
void race_vc_free(struct race_vc **vc);

#endif
