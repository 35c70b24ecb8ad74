/*
 * The lanes of a warp. A mask has a bit for each lane; lane 0 has the lowest. A lane
 * vector is one register of all lanes: LANES elements of 2, 4 or 8 bytes, one after the
 * other. The lane vector of a predicate is one mask of 32 bits.
 */
#ifndef EMULATOR_LANE_H
#define EMULATOR_LANE_H

#include <stdint.h>

enum { LANES = 32 };
#define FULL_MASK UINT32_MAX

static inline unsigned
lane_count(uint32_t mask)
{
    if (mask == FULL_MASK)
        return LANES;
    /* Not __builtin_popcount: without the popcnt instruction that is a call. */
    mask -= mask >> 1 & 0x55555555;
    mask = (mask & 0x33333333) + (mask >> 2 & 0x33333333);
    return (((mask + (mask >> 4)) & 0x0f0f0f0f) * 0x01010101) >> 24;
}

#endif
