/*
 * Textures and surfaces (PTX ISA 9.7.9 to 9.7.11 and 5.3; CUDA C++ Programming Guide,
 * "Texture Fetching").
 *
 * A texture object describes how device memory is read. Kernels pass the handle of a
 * texture to tex, tld4 and txq, and that of a surface to suld, sust, sured and suq. A
 * CUDA array is device memory to which a program has no pointer; texture_level() tells
 * how it is laid out.
 *
 * The machine owns the descriptions, not the memory. That may be freed before them, so
 * each fetch looks it up again.
 */
#ifndef EMULATOR_TEXTURE_H
#define EMULATOR_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

enum texture_kind {
    TEXTURE_LINEAR, /* width texels one after the other */
    TEXTURE_PITCH,  /* height rows, pitch bytes apart */
    TEXTURE_ARRAY,
};

enum texel_format { TEXEL_UNSIGNED, TEXEL_SIGNED, TEXEL_FLOAT };

/* cudaTextureAddressMode's numbers. */
enum texture_mode { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };

struct texture_info {
    uint64_t address;              /* of the first texel of the first level */
    uint64_t pitch;                /* bytes; TEXTURE_PITCH only */
    uint32_t width, height, depth; /* texels of level 0; 1 where there is no such side */
    uint32_t layers;               /* faces of a cube are layers; 1: not layered */
    uint32_t levels;
    uint8_t kind;      /* enum texture_kind */
    uint8_t dims;      /* 1, 2, 3 */
    uint8_t cube;      /* layers are faces, six to a cube */
    uint8_t surface;   /* the handle is a surface's */
    uint8_t channels;  /* 1, 2, 4 */
    uint8_t bits;      /* of a channel: 8, 16, 32 */
    uint8_t format;    /* enum texel_format */
    uint8_t normalize; /* integers are read as fractions: [0, 1] or [-1, 1] */
    uint8_t normalized_coordinates, linear, mip_linear, srgb, seamless;
    uint8_t mode[3]; /* enum texture_mode: x, y, z */
    float border[4];
    float bias, min_level, max_level;
};

/* Where a level lies. Its rows have `pitch` bytes, and its slices, which are those of a
 * volume or layers, have `slice` bytes. */
struct texture_level {
    uint64_t offset, pitch, slice;
    uint32_t width, height, depth;
};

static inline uint32_t
texel_bytes(const struct texture_info *t)
{
    return (uint32_t)t->channels * t->bits / 8;
}

/* The place of a level, from 0 on. For level == levels it is behind the last one. */
static inline struct texture_level
texture_level(const struct texture_info *t, uint32_t level)
{
    struct texture_level l = {0, 0, 0, t->width, t->height, t->depth};

    for (uint32_t i = 0;; i++) {
        l.pitch =
            t->kind == TEXTURE_PITCH ? t->pitch : (uint64_t)l.width * texel_bytes(t);
        l.slice = l.pitch * l.height;
        if (i == level)
            return l;
        l.offset += l.slice * l.depth * t->layers;
        l.width = l.width > 1 ? l.width / 2 : 1;
        l.height = l.height > 1 ? l.height / 2 : 1;
        l.depth = l.depth > 1 ? l.depth / 2 : 1;
    }
}

/* How many bytes the description covers; 0: it makes no sense. */
uint64_t texture_bytes(const struct texture_info *t);

/* Makes a texture or surface and returns its handle. 0: the description makes no sense,
 * its memory does not exist, or there are too many. */
uint64_t texture_new(struct machine *m, const struct texture_info *info);
int texture_free(struct machine *m, uint64_t handle); /* -1: no such handle */

#endif
