/* Texture and surface objects. Their descriptions are checked as NVIDIA's runtime
 * checks them. Then the emulated GPU keeps them and gives the handle. */
#include "array.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The descriptions of an object, for programs that ask for them. */
struct object {
    struct object *next;
    unsigned long long handle;
    bool is_surface, has_view;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
};

static struct {
    pthread_mutex_t lock;
    struct object *first;
} objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- what is read ------------------------------------------------------------------- */

#define LINEAR_TEXELS_MAX ((size_t)1 << 30)
#define PITCH_SIDE_X 131072u
#define PITCH_SIDE_Y 65000u
#define PITCH_ALIGNMENT 32u
#define LINEAR_ALIGNMENT 16u

static cudaError_t
linear_memory(const struct cudaResourceDesc *r, struct texture_info *info)
{
    cudaError_t e = wjrt_texel_format(&r->res.linear.desc, info);
    size_t texels;

    if (e != cudaSuccess)
        return e;
    texels = r->res.linear.sizeInBytes / texel_bytes(info);
    if (r->res.linear.devPtr == NULL || texels == 0 || texels > LINEAR_TEXELS_MAX ||
        (uintptr_t)r->res.linear.devPtr % LINEAR_ALIGNMENT != 0)
        return cudaErrorInvalidValue;
    info->kind = TEXTURE_LINEAR;
    info->dims = 1;
    info->address = (uintptr_t)r->res.linear.devPtr;
    info->width = (uint32_t)texels;
    info->height = info->depth = info->layers = info->levels = 1;
    return cudaSuccess;
}

static cudaError_t
pitched_memory(const struct cudaResourceDesc *r, struct texture_info *info)
{
    cudaError_t e = wjrt_texel_format(&r->res.pitch2D.desc, info);
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
    size_t pitch = r->res.pitch2D.pitchInBytes;

    if (e != cudaSuccess)
        return e;
    if (r->res.pitch2D.devPtr == NULL || width == 0 || height == 0 ||
        width > PITCH_SIDE_X || height > PITCH_SIDE_Y || pitch % PITCH_ALIGNMENT != 0 ||
        pitch < width * texel_bytes(info) || pitch > UINT32_MAX ||
        (uintptr_t)r->res.pitch2D.devPtr % 32 != 0)
        return cudaErrorInvalidValue;
    info->kind = TEXTURE_PITCH;
    info->dims = 2;
    info->address = (uintptr_t)r->res.pitch2D.devPtr;
    info->pitch = pitch;
    info->width = (uint32_t)width;
    info->height = (uint32_t)height;
    info->depth = info->layers = info->levels = 1;
    return cudaSuccess;
}

/* Checks that the array is whole; a level of a mipmapped array counts as one. */
static cudaError_t
whole_array(cudaArray_t handle, struct texture_info *info)
{
    const struct cudaArray *a = wjrt_array(handle);
    struct texture_level l;

    if (a == NULL)
        return cudaErrorInvalidResourceHandle;
    l = texture_level(&a->info, a->level);
    *info = a->info;
    info->address += l.offset;
    info->width = l.width;
    info->height = l.height;
    info->depth = l.depth;
    info->levels = 1;
    return cudaSuccess;
}

static cudaError_t
resource_of(const struct cudaResourceDesc *r, struct texture_info *info)
{
    const struct cudaMipmappedArray *m;

    *info = (struct texture_info){0};
    switch (r->resType) {
    case cudaResourceTypeArray:
        return whole_array(r->res.array.array, info);
    case cudaResourceTypeMipmappedArray:
        m = wjrt_mipmapped(r->res.mipmap.mipmap);
        if (m == NULL)
            return cudaErrorInvalidResourceHandle;
        *info = m->level[0].info;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        return linear_memory(r, info);
    case cudaResourceTypePitch2D:
        return pitched_memory(r, info);
    }
    return cudaErrorInvalidResourceHandle;
}

/* --- how it is read ----------------------------------------------------------------- */

static cudaError_t
sampling_of(const struct cudaTextureDesc *d, bool mipmapped, struct texture_info *info)
{
    bool small_integer = info->format != TEXEL_FLOAT && info->bits < 32;

    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder)
            return cudaErrorInvalidValue;
        info->mode[i] = (uint8_t)d->addressMode[i];
    }
    if ((unsigned)d->filterMode > cudaFilterModeLinear ||
        (unsigned)d->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    info->normalize |= d->readMode == cudaReadModeNormalizedFloat;
    info->linear = d->filterMode == cudaFilterModeLinear;
    info->mip_linear = mipmapped && d->mipmapFilterMode == cudaFilterModeLinear;
    if (info->linear && info->format != TEXEL_FLOAT &&
        !(small_integer && info->normalize))
        return cudaErrorInvalidFilterSetting;
    if (d->readMode == cudaReadModeNormalizedFloat && !small_integer)
        return cudaErrorInvalidNormSetting;
    info->srgb = d->sRGB != 0;
    info->seamless = d->seamlessCubemap != 0;
    /* An H200 always takes coordinates of mipmapped arrays as normalized ones. */
    info->normalized_coordinates = d->normalizedCoords != 0 || mipmapped;
    memcpy(info->border, d->borderColor, sizeof info->border);
    info->bias = d->mipmapLevelBias;
    info->min_level = d->minMipmapLevelClamp;
    info->max_level = d->maxMipmapLevelClamp;
    return cudaSuccess;
}

/* Applies a view, which chooses levels and layers. It may also read the texels in
 * another format of the same size. */
static cudaError_t
view_of(const struct cudaResourceViewDesc *v, struct texture_info *info)
{
    struct texture_level l;

    if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel >= info->levels ||
        v->firstLayer > v->lastLayer || v->lastLayer >= info->layers)
        return cudaErrorInvalidValue;
    if (v->firstMipmapLevel != 0 && info->layers > 1 &&
        (v->firstLayer != 0 || v->lastLayer != info->layers - 1))
        return cudaErrorNotSupported;
    if (v->firstLayer != 0 || v->lastLayer != info->layers - 1) {
        if (info->levels > 1)
            return cudaErrorNotSupported;
        l = texture_level(info, 0);
        info->address += v->firstLayer * l.slice;
        info->layers = v->lastLayer - v->firstLayer + 1;
    }
    l = texture_level(info, v->firstMipmapLevel);
    info->address += l.offset;
    info->width = l.width;
    info->height = l.height;
    info->depth = l.depth;
    info->levels = v->lastMipmapLevel - v->firstMipmapLevel + 1;
    return cudaSuccess;
}

/* --- objects ------------------------------------------------------------------------ */

static cudaError_t
object_new(const struct texture_info *info, struct object *made)
{
    struct wjrt_exchange x = {
        .request = {.op = GPU_TEXTURE, .inline_bytes = sizeof *info},
        .text = info,
    };
    cudaError_t e = wjrt_exchange(&x);

    if (e != cudaSuccess)
        return e;
    made->handle = x.reply.value[0];
    pthread_mutex_lock(&objects.lock);
    made->next = objects.first;
    objects.first = made;
    pthread_mutex_unlock(&objects.lock);
    return cudaSuccess;
}

cudaError_t
cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *r,
                        const struct cudaTextureDesc *d,
                        const struct cudaResourceViewDesc *view)
{
    struct texture_info info;
    struct object *made;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (object == NULL || r == NULL || d == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    e = resource_of(r, &info);
    if (e == cudaSuccess)
        e = sampling_of(d, r->resType == cudaResourceTypeMipmappedArray, &info);
    if (e == cudaSuccess && view != NULL)
        e = view_of(view, &info);
    if (e != cudaSuccess)
        return wjrt_error(e);
    made = malloc(sizeof *made);
    if (made == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *made = (struct object){.resource = *r, .texture = *d, .has_view = view != NULL};
    if (view != NULL)
        made->view = *view;
    e = object_new(&info, made);
    if (e == cudaSuccess)
        *object = made->handle;
    else
        free(made);
    return wjrt_error(e);
}

cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *r)
{
    struct texture_info info;
    struct object *made;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (object == NULL || r == NULL || r->resType != cudaResourceTypeArray)
        return wjrt_error(cudaErrorInvalidValue);
    e = resource_of(r, &info);
    if (e != cudaSuccess)
        return wjrt_error(e);
    made = malloc(sizeof *made);
    if (made == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *made = (struct object){.resource = *r, .is_surface = true};
    info.surface = 1;
    e = object_new(&info, made);
    if (e == cudaSuccess)
        *object = made->handle;
    else
        free(made);
    return wjrt_error(e);
}

/* An invalid handle is no error here (CUDA 13.0). */
static cudaError_t
object_destroy(unsigned long long handle, bool is_surface)
{
    struct gpu_request q = {
        .op = GPU_UNTEXTURE,
        .flags = GPU_QUIET,
        .memory = {.address = handle},
    };
    struct object **link = &objects.first, *o;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return e;
    pthread_mutex_lock(&objects.lock);
    while (*link != NULL &&
           ((*link)->handle != handle || (*link)->is_surface != is_surface))
        link = &(*link)->next;
    o = *link;
    if (o != NULL)
        *link = o->next;
    pthread_mutex_unlock(&objects.lock);
    if (o == NULL)
        return cudaSuccess;
    free(o);
    return wjrt_request(&q, NULL);
}

cudaError_t
cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return wjrt_error(object_destroy(object, false));
}

cudaError_t
cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return wjrt_error(object_destroy(object, true));
}

/* Copies the descriptions of an object. Returns false if there is no such object. */
static bool
object_find(unsigned long long handle, bool is_surface, struct object *out)
{
    const struct object *o;

    pthread_mutex_lock(&objects.lock);
    for (o = objects.first; o != NULL; o = o->next)
        if (o->handle == handle && o->is_surface == is_surface)
            break;
    if (o != NULL)
        *out = *o;
    pthread_mutex_unlock(&objects.lock);
    return o != NULL;
}

cudaError_t
cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t object)
{
    struct object o;

    if (r == NULL || !object_find(object, false, &o))
        return wjrt_error(cudaErrorInvalidValue);
    *r = o.resource;
    return cudaSuccess;
}

cudaError_t
cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t object)
{
    struct object o;

    if (d == NULL || !object_find(object, false, &o))
        return wjrt_error(cudaErrorInvalidValue);
    *d = o.texture;
    return cudaSuccess;
}

cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                     cudaTextureObject_t object)
{
    struct object o;

    if (view == NULL || !object_find(object, false, &o) || !o.has_view)
        return wjrt_error(cudaErrorInvalidValue);
    *view = o.view;
    return cudaSuccess;
}

cudaError_t
cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t object)
{
    struct object o;

    if (r == NULL || !object_find(object, true, &o))
        return wjrt_error(cudaErrorInvalidValue);
    *r = o.resource;
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels,
                                     const struct cudaChannelFormatDesc *format,
                                     int device)
{
    struct texture_info info = {0};
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && !wjrt_is_device(device))
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess && (texels == NULL || format == NULL))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = wjrt_texel_format(format, &info);
    if (e == cudaSuccess)
        *texels = LINEAR_TEXELS_MAX;
    return wjrt_error(e);
}
