/*
 * How textures and surfaces are read and written; only files of texture/ and machine.c
 * include this. A texel is named by its byte offset in the memory that the description
 * covers.
 */
#ifndef EMULATOR_FETCH_H
#define EMULATOR_FETCH_H

#include "../machine.h"
#include "texture.h"

struct texture {
    struct texture_info info;
    uint64_t bytes; /* texture_bytes(info) */
};

/* The texture, or the surface, that has this handle; NULL: there is none. */
const struct texture *texture_find(const struct machine *m, uint64_t handle,
                                   bool surface);
void textures_free(struct machine *m);

/* --- texture_format.c ---------------------------------------------------- */

/* Reads the channels of a texel as bits of an unfiltered result: integers extended to 32
 * bits, floats, or fractions. A channel that the texel does not have is 0. */
void texel_load(const struct texture_info *t, const uint8_t *from, uint32_t out[4]);

/* The same as numbers that can be filtered, for results that are floats. */
void texel_values(const struct texture_info *t, const uint8_t *from, float out[4]);
float texel_filtered(const struct texture_info *t, unsigned channel, double v);
void texel_border(const struct texture_info *t, float out[4], uint32_t bits[4]);
bool texel_is_float(const struct texture_info *t); /* as a result */

/* Writes the channels from 32-bit registers, as sust.p does. */
void texel_store(const struct texture_info *t, const uint32_t from[4], uint8_t *to);

/* --- texture_sample.c ---------------------------------------------------- */

/* The most texels that one fetch reads: eight corners in each of two levels. */
enum { TEXELS_READ = 16 };

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
    /* results */
    uint64_t read[TEXELS_READ]; /* offsets of the texels that were read */
    unsigned reads;
    uint64_t unwritten; /* 1 + offset of a texel that was never written; 0: none */
};

void texture_sample(struct sample *s, uint32_t out[4]);

#endif
