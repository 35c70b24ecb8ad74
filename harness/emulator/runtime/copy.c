/*
 * Copies and fills. Pageable host memory travels through the socket; pinned memory is
 * device memory too, so that a copy from or to it is one on the device's side.
 *
 * When a call returns follows "API synchronization behavior" of the CUDA runtime API: the
 * calls without Async, and every copy to pageable memory, wait.
 */
#include "runtime.h"

#include <string.h>

/* Is p an address of the device's? Only for cudaMemcpyDefault: one round trip. */
static cudaError_t
is_device(const void *p, bool *device)
{
    struct gpu_request q = {.op = GPU_INFO, .memory = {.address = (uintptr_t)p}};
    cudaError_t e = wjrt_request(&q, NULL);

    *device = e == cudaSuccess;
    return e == cudaErrorInvalidValue ? cudaSuccess : e;
}

static cudaError_t
resolve_kind(enum cudaMemcpyKind *kind, const void *to, const void *from)
{
    bool to_device, from_device;
    cudaError_t e;

    if (*kind != cudaMemcpyDefault)
        return (unsigned)*kind <= cudaMemcpyDefault ? cudaSuccess
                                                    : cudaErrorInvalidMemcpyDirection;
    e = is_device(to, &to_device);
    if (e == cudaSuccess)
        e = is_device(from, &from_device);
    if (e != cudaSuccess)
        return e;
    *kind = to_device ? from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
            : from_device ? cudaMemcpyDeviceToHost
                          : cudaMemcpyHostToHost;
    return cudaSuccess;
}

struct rows_copy {
    char *to;
    size_t to_pitch;
    const char *from;
    size_t from_pitch, width, height;
};

/* A copy between host memories is a host function, so that it, too, happens in order. */
static cudaError_t
copy_on_host(const struct rows_copy *c)
{
    cudaError_t e = wjrt_synchronize();

    for (size_t row = 0; row < c->height; row++)
        memmove(c->to + row * c->to_pitch, c->from + row * c->from_pitch, c->width);
    return e;
}

static cudaError_t
copy_rows(const struct rows_copy *c, enum cudaMemcpyKind kind, cudaStream_t stream,
          bool wait)
{
    struct wjrt_op op = {0};
    size_t from_bytes, to_bytes;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess || c->width == 0 || c->height == 0)
        return e;
    if (c->to == NULL || c->from == NULL ||
        __builtin_mul_overflow(c->from_pitch, c->height, &from_bytes) ||
        __builtin_mul_overflow(c->to_pitch, c->height, &to_bytes))
        return cudaErrorInvalidValue;
    if (c->height > 1 && (c->to_pitch < c->width || c->from_pitch < c->width))
        return cudaErrorInvalidPitchValue;
    e = resolve_kind(&kind, c->to, c->from);
    if (e != cudaSuccess)
        return e;
    if (kind == cudaMemcpyHostToHost)
        return copy_on_host(c);
    op.request.copy.to = (uintptr_t)c->to;
    op.request.copy.to_pitch = c->to_pitch;
    op.request.copy.from = (uintptr_t)c->from;
    op.request.copy.from_pitch = c->from_pitch;
    op.request.copy.width = c->width;
    op.request.copy.height = c->height;
    op.request.op = GPU_COPY;
    if (kind == cudaMemcpyHostToDevice && !wjrt_is_pinned(c->from, from_bytes)) {
        op.request.op = GPU_WRITE;
        op.request.bulk_bytes = c->width * c->height;
        op.rows = (struct wjrt_rows){(char *)(uintptr_t)c->from, c->from_pitch, c->width,
                                     c->height};
    } else if (kind == cudaMemcpyDeviceToHost && !wjrt_is_pinned(c->to, to_bytes)) {
        op.request.op = GPU_READ;
        op.rows = (struct wjrt_rows){c->to, c->to_pitch, c->width, c->height};
    }
    return wjrt_enqueue(stream, &op, wait);
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct rows_copy c = {to, bytes, from, bytes, bytes, 1};

    return wjrt_error(copy_rows(&c, kind, NULL, true));
}
WJRT_PTDS(cudaMemcpy);

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    struct rows_copy c = {to, bytes, from, bytes, bytes, 1};

    return wjrt_error(copy_rows(&c, kind, stream, false));
}
WJRT_PTSZ(cudaMemcpyAsync);

cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, enum cudaMemcpyKind kind)
{
    struct rows_copy c = {to, to_pitch, from, from_pitch, width, height};

    return wjrt_error(copy_rows(&c, kind, NULL, true));
}
WJRT_PTDS(cudaMemcpy2D);

cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                  size_t width, size_t height, enum cudaMemcpyKind kind,
                  cudaStream_t stream)
{
    struct rows_copy c = {to, to_pitch, from, from_pitch, width, height};

    return wjrt_error(copy_rows(&c, kind, stream, false));
}
WJRT_PTSZ(cudaMemcpy2DAsync);

/* One slice of a pitched volume after another. Arrays (textures) are not available here.
 */
static cudaError_t
copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    size_t to_slice, from_slice;
    cudaError_t e = cudaSuccess;

    if (p == NULL)
        return cudaErrorInvalidValue;
    if (p->srcArray != NULL || p->dstArray != NULL)
        return cudaErrorNotSupported;
    if (__builtin_mul_overflow(p->dstPtr.pitch, p->dstPtr.ysize, &to_slice) ||
        __builtin_mul_overflow(p->srcPtr.pitch, p->srcPtr.ysize, &from_slice))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < p->extent.depth && e == cudaSuccess; z++) {
        struct rows_copy c = {
            (char *)p->dstPtr.ptr + (p->dstPos.z + z) * to_slice +
                p->dstPos.y * p->dstPtr.pitch + p->dstPos.x,
            p->dstPtr.pitch,
            (const char *)p->srcPtr.ptr + (p->srcPos.z + z) * from_slice +
                p->srcPos.y * p->srcPtr.pitch + p->srcPos.x,
            p->srcPtr.pitch,
            p->extent.width,
            p->extent.height,
        };

        e = copy_rows(&c, p->kind, stream, wait);
    }
    return e;
}

cudaError_t
cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return wjrt_error(copy_3d(p, NULL, true));
}
WJRT_PTDS(cudaMemcpy3D);

cudaError_t
cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return wjrt_error(copy_3d(p, stream, false));
}
WJRT_PTSZ(cudaMemcpy3DAsync);

/* --- fills
 * -------------------------------------------------------------------------------------
 */

static cudaError_t
set_rows(void *to, size_t pitch, int value, size_t width, size_t height,
         cudaStream_t stream, bool wait)
{
    struct wjrt_op op = {.request = {.op = GPU_SET}};
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess || width == 0 || height == 0)
        return e;
    op.request.set.to = (uintptr_t)to;
    op.request.set.pitch = pitch;
    op.request.set.width = width;
    op.request.set.height = height;
    op.request.set.value = (unsigned char)value;
    op.request.set.element = 1;
    return wjrt_enqueue(stream, &op, wait);
}

cudaError_t
cudaMemset(void *to, int value, size_t bytes)
{
    return wjrt_error(set_rows(to, bytes, value, bytes, 1, NULL, true));
}
WJRT_PTDS(cudaMemset);

cudaError_t
cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream)
{
    return wjrt_error(set_rows(to, bytes, value, bytes, 1, stream, false));
}
WJRT_PTSZ(cudaMemsetAsync);

cudaError_t
cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return wjrt_error(set_rows(to, pitch, value, width, height, NULL, true));
}
WJRT_PTDS(cudaMemset2D);

cudaError_t
cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                  cudaStream_t stream)
{
    return wjrt_error(set_rows(to, pitch, value, width, height, stream, false));
}
WJRT_PTSZ(cudaMemset2DAsync);

/* One slice of rows after another. */
static cudaError_t
set_3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream,
       bool wait)
{
    cudaError_t e = cudaSuccess;
    size_t slice;

    if (__builtin_mul_overflow(to.pitch, to.ysize, &slice))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
        e = set_rows((char *)to.ptr + z * slice, to.pitch, value, extent.width,
                     extent.height, stream, wait);
    return e;
}

cudaError_t
cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
    return wjrt_error(set_3d(to, value, extent, NULL, true));
}
WJRT_PTDS(cudaMemset3D);

cudaError_t
cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                  cudaStream_t stream)
{
    return wjrt_error(set_3d(to, value, extent, stream, false));
}
WJRT_PTSZ(cudaMemset3DAsync);

/* --- between devices, of which there is one
 * ------------------------------------------------ */

cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (to_device != 0 || from_device != 0)
        return wjrt_error(cudaErrorInvalidDevice);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t
cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                    size_t bytes, cudaStream_t stream)
{
    if (to_device != 0 || from_device != 0)
        return wjrt_error(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
