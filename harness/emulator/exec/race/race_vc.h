/*
 * Vector clocks (struct race_vc), for race_clock.c. Where there is no memory for one, the
 * detector goes blind: races are not told any more.
 */
#ifndef EMULATOR_RACE_VC_H
#define EMULATOR_RACE_VC_H

#include "race.h"

/* The stamp up to which the key of the block is known, of reads or of all accesses; 0:
 * not at all. */
uint32_t race_vc_get(const struct race_vc *vc, uint32_t block, uint32_t key,
                     bool is_read);
/* Makes the key known up to the stamp, if it is not known further. */
void race_vc_put(struct race *r, struct race_vc *vc, uint32_t block, uint32_t key,
                 uint32_t stamp);
/* to = the larger of both, everywhere. */
void race_vc_join(struct race *r, struct race_vc *to, const struct race_vc *from);

/* Clocks that are made when first used: *vc may be NULL, from too. */
struct race_vc *race_vc_at(struct race *r, struct race_vc **vc);
void race_vc_join_at(struct race *r, struct race_vc **to, const struct race_vc *from);
void race_vc_free(struct race_vc **vc);

#endif
