/* CUDA arrays and mipmapped arrays: allocation, and what can be asked about them. */
#include "array.h"

#include <stdlib.h>

#define ARRAY_MAGIC 0x77617272u
#define MIPMAPPED_MAGIC 0x776d6970u
#define ARRAY_FLAGS                                                                      \
    (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |                   \
     cudaArrayTextureGather | cudaArrayColorAttachment)

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
#define SIDE_1D 131072u
#define SIDE_2D_X 131072u
#define SIDE_2D_Y 65536u
#define SIDE_3D 16384u
#define SIDE_LAYERED 32768u
#define LAYERS 2048u

struct cudaArray *
wjrt_array(cudaArray_const_t handle)
{
    return handle != NULL && handle->magic == ARRAY_MAGIC ? (struct cudaArray *)handle
                                                          : NULL;
}

struct cudaMipmappedArray *
wjrt_mipmapped(cudaMipmappedArray_const_t handle)
{
    return handle != NULL && handle->magic == MIPMAPPED_MAGIC
               ? (struct cudaMipmappedArray *)handle
               : NULL;
}

/* The kinds that fix all channels: unsigned and then signed normalized ones, of 8 and
 * then 16 bits, with 1, 2 and 4 channels. */
static bool
normalized_kind(enum cudaChannelFormatKind kind, struct texture_info *info)
{
    static const uint8_t channels[3] = {1, 2, 4};
    unsigned i = (unsigned)kind - cudaChannelFormatKindUnsignedNormalized8X1;

    if (i > cudaChannelFormatKindSignedNormalized16X4 -
                cudaChannelFormatKindUnsignedNormalized8X1)
        return false;
    info->channels = channels[i % 3];
    info->format = i < 6 ? TEXEL_UNSIGNED : TEXEL_SIGNED;
    info->bits = i / 3 % 2 == 0 ? 8 : 16;
    info->normalize = 1;
    return true;
}

cudaError_t
wjrt_texel_format(const struct cudaChannelFormatDesc *d, struct texture_info *info)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned channels = 0;

    if (normalized_kind(d->f, info))
        return cudaSuccess;
    while (channels < 4 && bits[channels] != 0)
        channels++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < channels ? bits[0] : 0))
            return cudaErrorInvalidChannelDescriptor;
    if ((channels != 1 && channels != 2 && channels != 4) ||
        (bits[0] != 8 && bits[0] != 16 && bits[0] != 32))
        return cudaErrorInvalidChannelDescriptor;
    if (d->f == cudaChannelFormatKindUnsigned)
        info->format = TEXEL_UNSIGNED;
    else if (d->f == cudaChannelFormatKindSigned)
        info->format = TEXEL_SIGNED;
    else if (d->f == cudaChannelFormatKindFloat && bits[0] != 8)
        info->format = TEXEL_FLOAT;
    else
        return cudaErrorInvalidChannelDescriptor;
    info->channels = (uint8_t)channels;
    info->bits = (uint8_t)bits[0];
    return cudaSuccess;
}

/* --- shapes ------------------------------------------------------------------------- */

static bool
shape_layered(struct cudaExtent e, unsigned flags, struct texture_info *info)
{
    bool cube = flags & cudaArrayCubemap;

    info->layers = (uint32_t)e.depth;
    info->dims = e.height > 0 ? 2 : 1;
    info->cube = cube;
    if (e.width > SIDE_LAYERED || e.height > SIDE_LAYERED || e.depth == 0 ||
        e.depth > LAYERS)
        return false;
    if (!cube)
        return true;
    return e.width == e.height &&
           (flags & cudaArrayLayered ? e.depth % 6 == 0 : e.depth == 6);
}

static bool
array_shape(struct cudaExtent e, unsigned flags, struct texture_info *info)
{
    if (e.width == 0 || (flags & ~(unsigned)ARRAY_FLAGS) != 0 || e.width > SIDE_2D_X ||
        e.height > SIDE_2D_Y || e.depth > SIDE_3D)
        return false;
    info->kind = TEXTURE_ARRAY;
    info->width = (uint32_t)e.width;
    info->height = e.height > 0 ? (uint32_t)e.height : 1;
    info->depth = info->layers = info->levels = 1;
    if ((flags & cudaArrayTextureGather) && (e.height == 0 || e.depth != 0))
        return false;
    if (flags & (cudaArrayLayered | cudaArrayCubemap))
        return shape_layered(e, flags, info);
    info->dims = e.depth > 0 ? 3 : e.height > 0 ? 2 : 1;
    if (e.depth == 0)
        return e.height > 0 || e.width <= SIDE_1D;
    info->depth = (uint32_t)e.depth;
    return e.height > 0 && e.width <= SIDE_3D && e.height <= SIDE_3D;
}

static cudaError_t
array_describe(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
               unsigned flags, struct texture_info *info)
{
    cudaError_t e;

    *info = (struct texture_info){0};
    if (format == NULL)
        return cudaErrorInvalidValue;
    e = wjrt_texel_format(format, info);
    if (e == cudaSuccess && !array_shape(extent, flags, info))
        e = cudaErrorInvalidValue;
    return e;
}

static cudaError_t
array_allocate(struct texture_info *info)
{
    struct gpu_request q = {
        .op = GPU_MALLOC,
        .device = wjrt_device(),
        .memory = {.bytes = texture_level(info, info->levels).offset},
    };
    struct gpu_reply reply;
    cudaError_t e = wjrt_request(&q, &reply);

    info->address = reply.value[0];
    return e;
}

/* --- arrays ------------------------------------------------------------------------- */

cudaError_t
cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                  struct cudaExtent extent, unsigned int flags)
{
    struct cudaArray *made;
    struct texture_info info;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess)
        e = array != NULL ? array_describe(format, extent, flags, &info)
                          : cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    made = malloc(sizeof *made);
    e = made != NULL ? array_allocate(&info) : cudaErrorMemoryAllocation;
    if (e != cudaSuccess) {
        free(made);
        return wjrt_error(e);
    }
    *made = (struct cudaArray){.magic = ARRAY_MAGIC,
                               .format = *format,
                               .extent = extent,
                               .flags = flags,
                               .info = info};
    *array = made;
    return cudaSuccess;
}

cudaError_t
cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                size_t width, size_t height, unsigned int flags)
{
    return cudaMalloc3DArray(array, format, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t
cudaFreeArray(cudaArray_t handle)
{
    struct cudaArray *a = wjrt_array(handle);
    struct gpu_request q = {.op = GPU_FREE};
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess || handle == NULL)
        return wjrt_error(e);
    if (a == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (a->owner != NULL)
        return cudaSuccess; /* a level is freed with its mipmapped array */
    q.memory.address = a->info.address;
    e = wjrt_request(&q, NULL);
    a->magic = 0;
    free(a);
    return wjrt_error(e);
}

cudaError_t
cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                 unsigned int *flags, cudaArray_t handle)
{
    const struct cudaArray *a = wjrt_array(handle);

    if (a == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (format != NULL)
        *format = a->format;
    if (extent != NULL)
        *extent = a->extent;
    if (flags != NULL)
        *flags = a->flags;
    return cudaSuccess;
}

cudaError_t
cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t handle)
{
    const struct cudaArray *a = wjrt_array(handle);

    if (a == NULL || format == NULL)
        return wjrt_error(a == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *format = a->format;
    return cudaSuccess;
}

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* Only arrays whose memory is mapped later have requirements, and there are none here. */
cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                               cudaArray_t array, int device)
{
    (void)requirements;
    (void)array;
    (void)device;
    return wjrt_error(cudaErrorInvalidValue);
}

cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                             cudaArray_t array)
{
    (void)properties;
    (void)array;
    return wjrt_error(cudaErrorInvalidValue);
}

cudaError_t
cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned int index)
{
    (void)plane;
    (void)array;
    (void)index;
    return wjrt_error(cudaErrorInvalidValue);
}

/* --- mipmapped arrays --------------------------------------------------------------- */

static size_t
halved(size_t side, uint32_t level)
{
    return side == 0 || side >> level != 0 ? side >> level : 1;
}

/* The extent of a level; the number of layers stays the same. */
static struct cudaExtent
level_extent(struct cudaExtent e, unsigned flags, uint32_t level)
{
    bool layered = flags & (cudaArrayLayered | cudaArrayCubemap);

    return (struct cudaExtent){halved(e.width, level), halved(e.height, level),
                               layered ? e.depth : halved(e.depth, level)};
}

/* How many levels there are: at most those that lead down to one texel. */
static uint32_t
level_count(const struct texture_info *info, unsigned wanted)
{
    uint32_t side = info->width > info->height ? info->width : info->height, most = 1;

    side = side > info->depth ? side : info->depth;
    for (; side > 1; side /= 2)
        most++;
    return wanted == 0 ? 1 : wanted < most ? wanted : most;
}

cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                         const struct cudaChannelFormatDesc *format,
                         struct cudaExtent extent, unsigned int levels,
                         unsigned int flags)
{
    struct cudaMipmappedArray *made;
    struct texture_info info;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess)
        e = array != NULL ? array_describe(format, extent, flags, &info)
                          : cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    info.levels = level_count(&info, levels);
    made = malloc(sizeof *made + info.levels * sizeof made->level[0]);
    e = made != NULL ? array_allocate(&info) : cudaErrorMemoryAllocation;
    if (e != cudaSuccess) {
        free(made);
        return wjrt_error(e);
    }
    made->magic = MIPMAPPED_MAGIC;
    for (uint32_t i = 0; i < info.levels; i++)
        made->level[i] = (struct cudaArray){.magic = ARRAY_MAGIC,
                                            .format = *format,
                                            .extent = level_extent(extent, flags, i),
                                            .flags = flags,
                                            .info = info,
                                            .level = i,
                                            .owner = made};
    *array = made;
    return cudaSuccess;
}

cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t handle,
                           unsigned int index)
{
    struct cudaMipmappedArray *a = wjrt_mipmapped(handle);

    if (a == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (level == NULL || index >= a->level[0].info.levels)
        return wjrt_error(cudaErrorInvalidValue);
    *level = &a->level[index];
    return cudaSuccess;
}

cudaError_t
cudaFreeMipmappedArray(cudaMipmappedArray_t handle)
{
    struct cudaMipmappedArray *a = wjrt_mipmapped(handle);
    struct gpu_request q = {.op = GPU_FREE};
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess || handle == NULL)
        return wjrt_error(e);
    if (a == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    q.memory.address = a->level[0].info.address;
    e = wjrt_request(&q, NULL);
    for (uint32_t i = 0; i < a->level[0].info.levels; i++)
        a->level[i].magic = 0;
    a->magic = 0;
    free(a);
    return wjrt_error(e);
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *requirements,
                                        cudaMipmappedArray_t array, int device)
{
    (void)requirements;
    (void)array;
    (void)device;
    return wjrt_error(cudaErrorInvalidValue);
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *properties,
                                      cudaMipmappedArray_t array)
{
    (void)properties;
    (void)array;
    return wjrt_error(cudaErrorInvalidValue);
}
