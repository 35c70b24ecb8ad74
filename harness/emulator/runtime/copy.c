/*
 * Copies and fills. Pageable host memory travels through the socket. Pinned memory is
 * device memory too, so a copy of it is made on the device.
 *
 * When a call returns follows "API synchronization behavior" of the CUDA runtime API.
 * All calls without Async wait, and so does every copy to pageable memory.
 */
#include "runtime.h"

#include <string.h>

/* Is p an address of the device? Only cudaMemcpyDefault asks; it costs a round trip. */
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

/* Is p an address of host memory? Device memory lies where no host memory can be
 * (exec/memory.h), so a direction that contradicts the pointers is noticed before
 * anything is sent. */
static bool
is_host_address(const void *p)
{
    return (uintptr_t)p < (uintptr_t)1 << 47;
}

/* Driver 580 on an H200 demands that the device's side is device memory. If the "host"
 * side is device memory too, it copies within the device. */
static enum cudaMemcpyKind
within_device(enum cudaMemcpyKind kind, const struct wjrt_copy *c)
{
    if ((kind == cudaMemcpyHostToDevice && !is_host_address(c->from)) ||
        (kind == cudaMemcpyDeviceToHost && !is_host_address(c->to)))
        return cudaMemcpyDeviceToDevice;
    return kind;
}

static bool
sides_fit(enum cudaMemcpyKind kind, const struct wjrt_copy *c)
{
    bool to_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    bool from_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;

    return (!to_host || is_host_address(c->to)) &&
           (!from_host || is_host_address(c->from));
}

cudaError_t
wjrt_copy(const struct wjrt_copy *c, enum cudaMemcpyKind kind, wjrt_sink *sink,
          void *context)
{
    struct wjrt_op op = {0};
    struct wjrt_rows to = {c->to, c->to_pitch, c->width, c->height};
    struct wjrt_rows from = {(char *)(uintptr_t)c->from, c->from_pitch, c->width,
                             c->height};
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
    kind = within_device(kind, c);
    if (e == cudaSuccess && !sides_fit(kind, c))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return e;
    op.request.copy.to = (uintptr_t)c->to;
    op.request.copy.to_pitch = c->to_pitch;
    op.request.copy.from = (uintptr_t)c->from;
    op.request.copy.from_pitch = c->from_pitch;
    op.request.copy.width = c->width;
    op.request.copy.height = c->height;
    op.request.op = GPU_COPY;
    if (kind == cudaMemcpyHostToHost) {
        op.request = (struct gpu_request){.op = GPU_OP_NONE};
        op.rows = to;
        op.from = from;
    } else if (kind == cudaMemcpyHostToDevice && !wjrt_is_pinned(c->from, from_bytes)) {
        op.request.op = GPU_WRITE;
        op.request.bulk_bytes = c->width * c->height;
        op.rows = from;
    } else if (kind == cudaMemcpyDeviceToHost && !wjrt_is_pinned(c->to, to_bytes)) {
        op.request.op = GPU_READ;
        op.rows = to;
    }
    op.request.device = wjrt_device();
    return sink(context, &op);
}

static const char *
kind_name(enum cudaMemcpyKind kind)
{
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost",
                                        "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};

    return (unsigned)kind <= cudaMemcpyDefault ? names[kind] : "an unknown direction";
}

/* Says why a copy was refused. */
static void
explain_refused(const struct wjrt_copy *c, enum cudaMemcpyKind kind)
{
    struct wjrt_variable *v;
    bool to_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    bool from_host = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
    bool fits =
        is_host_address(c->to) == to_host && is_host_address(c->from) == from_host;

    if (c->to == NULL || c->from == NULL)
        wjrt_explain(cudaErrorInvalidValue, "a copy %s a null pointer",
                     c->to == NULL ? "to" : "from");
    else if (!to_host && wjrt_variable(c->to, &v) == cudaSuccess)
        wjrt_explain(
            cudaErrorInvalidValue,
            "the destination of a copy is a __constant__ or __device__ variable, "
            "which only cudaMemcpyToSymbol can name");
    else if (!from_host && wjrt_variable(c->from, &v) == cudaSuccess)
        wjrt_explain(cudaErrorInvalidValue,
                     "the source of a copy is a __constant__ or __device__ variable, "
                     "which only cudaMemcpyFromSymbol can name");
    else if (!fits && kind != cudaMemcpyDefault)
        wjrt_explain(
            cudaErrorInvalidValue,
            "a copy with %s has its destination in the %s memory and its source "
            "in the %s; the order is cudaMemcpy(destination, source, bytes, kind)",
            kind_name(kind), is_host_address(c->to) ? "host's" : "device's",
            is_host_address(c->from) ? "host's" : "device's");
    else
        wjrt_explain(cudaErrorInvalidValue,
                     "a copy of %zu bytes leaves a buffer of the device, or one of its "
                     "pointers is in no buffer",
                     c->width * c->height);
}

static cudaError_t
copy_rows(const struct wjrt_copy *c, enum cudaMemcpyKind kind, cudaStream_t stream,
          bool wait)
{
    struct wjrt_target target = {stream, wait};
    cudaError_t e = wjrt_copy(c, kind, wjrt_stream_sink, &target);

    if (e == cudaErrorInvalidValue)
        explain_refused(c, kind);
    return e;
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    struct wjrt_copy c = {to, bytes, from, bytes, bytes, 1};

    return wjrt_error(copy_rows(&c, kind, NULL, true));
}
WJRT_PTDS(cudaMemcpy);

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                cudaStream_t stream)
{
    struct wjrt_copy c = {to, bytes, from, bytes, bytes, 1};

    return wjrt_error(copy_rows(&c, kind, stream, false));
}
WJRT_PTSZ(cudaMemcpyAsync);

cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, enum cudaMemcpyKind kind)
{
    struct wjrt_copy c = {to, to_pitch, from, from_pitch, width, height};

    return wjrt_error(copy_rows(&c, kind, NULL, true));
}
WJRT_PTDS(cudaMemcpy2D);

cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                  size_t width, size_t height, enum cudaMemcpyKind kind,
                  cudaStream_t stream)
{
    struct wjrt_copy c = {to, to_pitch, from, from_pitch, width, height};

    return wjrt_error(copy_rows(&c, kind, stream, false));
}
WJRT_PTSZ(cudaMemcpy2DAsync);

/* --- fills -------------------------------------------------------------------------- */

cudaError_t
wjrt_fill(const struct cudaMemsetParams *p, wjrt_sink *sink, void *context)
{
    struct wjrt_op op = {.request = {.op = GPU_SET, .device = wjrt_device()}};
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess || p->width == 0 || p->height == 0)
        return e;
    if ((p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
        p->width > SIZE_MAX / 4)
        return cudaErrorInvalidValue;
    op.request.set.to = (uintptr_t)p->dst;
    op.request.set.pitch = p->pitch;
    op.request.set.width = p->width * p->elementSize;
    op.request.set.height = p->height;
    op.request.set.value = p->value;
    op.request.set.element = p->elementSize;
    return sink(context, &op);
}

static cudaError_t
set_rows(void *to, size_t pitch, int value, size_t width, size_t height,
         cudaStream_t stream, bool wait)
{
    struct cudaMemsetParams p = {
        .dst = to,
        .pitch = pitch,
        .value = (unsigned char)value,
        .elementSize = 1,
        .width = width,
        .height = height,
    };
    struct wjrt_target target = {stream, wait};

    return wjrt_fill(&p, wjrt_stream_sink, &target);
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

/* Sets one slice of rows after the other. */
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
