/* CUDA arrays, shared by array.c, array_copy.c and texture.c. */
#ifndef EMULATOR_RUNTIME_ARRAY_H
#define EMULATOR_RUNTIME_ARRAY_H

#include "runtime.h"

/* An array, or one level of a mipmapped array. Its texels are device memory whose
 * address no program learns. exec/texture/texture.h tells their layout. */
struct cudaArray {
    uint32_t magic;
    struct cudaChannelFormatDesc format;
    struct cudaExtent extent; /* as the program gave it */
    unsigned flags;
    struct texture_info info; /* all levels */
    uint32_t level;
    struct cudaMipmappedArray *owner; /* NULL: an array of its own, no level */
};

struct cudaMipmappedArray {
    uint32_t magic;
    struct cudaArray level[];
};

/* NULL: the handle is none of ours. */
struct cudaArray *wjrt_array(cudaArray_const_t handle);
struct cudaMipmappedArray *wjrt_mipmapped(cudaMipmappedArray_const_t handle);

/* Finds the channels and their format, or cudaErrorInvalidChannelDescriptor. */
cudaError_t wjrt_texel_format(const struct cudaChannelFormatDesc *d,
                              struct texture_info *info);

#endif
