/*
 * How a texture or surface is read and written: shared by the files of texture/. Texels
 * are addressed by byte offsets within the memory that the description covers.
 */
#ifndef EMULATOR_FETCH_H
#define EMULATOR_FETCH_H

#include "../machine.h"
#include "texture.h"

struct texture {
    struct texture_info info;
    uint64_t bytes; /* texture_bytes(info) */
};

/* What is behind a handle; NULL: nothing, or not of this sort. */
const struct texture *texture_find(const struct machine *m, uint64_t handle,
                                   bool surface);
void textures_free(struct machine *m);

/* --- texture_format.c ---------------------------------------------------- */

/* What a channel of a texel is as an unfiltered result's bits: integers extended to 32
 * bits, floats, or fractions; channels that it does not have are 0. */
void texel_load(const struct texture_info *t, const uint8_t *from, uint32_t out[4]);

/* The same as numbers, for filtering: results that are floats only. */
void texel_values(const struct texture_info *t, const uint8_t *from, float out[4]);
float texel_filtered(const struct texture_info *t, unsigned channel, double v);
void texel_border(const struct texture_info *t, float out[4], uint32_t bits[4]);
bool texel_is_float(const struct texture_info *t); /* as a result */

/* sust.p: the channels from 32-bit registers. */
void texel_store(const struct texture_info *t, const uint32_t from[4], uint8_t *to);

/* --- texture_sample.c ---------------------------------------------------- */

enum level_choice { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT };

struct sample {
    const struct texture_info *t;
    const uint8_t *texels;
    const uint8_t *shadow; /* of the same bytes; NULL: all written */
    bool integer;          /* coordinates are texels, nothing is filtered */
    bool gather;
    uint8_t component; /* gather */
    enum level_choice choice;
    float x[3]; /* coordinates; cubes: the direction */
    int32_t i[3];
    int64_t layer;
    float level, ddx[3], ddy[3];
    uint64_t first;     /* out: offset of the first texel that was read */
    uint64_t unwritten; /* out: 1 + offset of a texel that was never written; 0: none */
};

void texture_sample(struct sample *s, uint32_t out[4]);

#endif
