/*
 * Copies of arrays and volumes, several copies in one call, and copies between devices.
 * An array's texels are pitched device memory, so each copy becomes a copy of rows.
 */
#include "array.h"

/* Copies of plain bytes to and from arrays are deprecated, but still there. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* --- one side of a copy ------------------------------------------------------------- */

struct side {
    char *base;
    size_t pitch, slice;
};

/* The side of a copy that begins at texel (x, y, z) of an array; layers count as z. */
static struct side
array_side(const struct cudaArray *a, size_t x, size_t y, size_t z)
{
    struct texture_level l = texture_level(&a->info, a->level);
    uint64_t address = a->info.address + l.offset + z * l.slice + y * l.pitch +
                       x * texel_bytes(&a->info);

    return (struct side){(char *)(uintptr_t)address, l.pitch, l.slice};
}

/* Is [at, at + extent) inside the array? Both are in texels, rows and layers. */
static bool
array_holds(const struct cudaArray *a, struct cudaPos at, struct cudaExtent extent)
{
    struct texture_level l = texture_level(&a->info, a->level);
    size_t depth = (size_t)l.depth * a->info.layers;

    return at.x <= l.width && extent.width <= l.width - at.x && at.y <= l.height &&
           extent.height <= l.height - at.y && at.z <= depth &&
           extent.depth <= depth - at.z;
}

static cudaError_t
copy_slices(struct side to, struct side from, size_t width, size_t height, size_t depth,
            enum cudaMemcpyKind kind, wjrt_sink *sink, void *context)
{
    cudaError_t e = cudaSuccess;

    for (size_t z = 0; z < depth && e == cudaSuccess; z++) {
        struct wjrt_copy c = {to.base + z * to.slice,
                              to.pitch,
                              from.base + z * from.slice,
                              from.pitch,
                              width,
                              height};

        e = wjrt_copy(&c, kind, sink, context);
    }
    return e;
}

/* --- volumes ------------------------------------------------------------------------ */

/* One side of cudaMemcpy3D. Positions are texels in arrays and bytes in memory. */
static cudaError_t
volume_side(cudaArray_t handle, const struct cudaPitchedPtr *p, struct cudaPos at,
            struct cudaExtent extent, struct side *side)
{
    const struct cudaArray *a = wjrt_array(handle);

    if (handle == NULL) {
        if (p->ptr == NULL || __builtin_mul_overflow(p->pitch, p->ysize, &side->slice))
            return cudaErrorInvalidValue;
        side->pitch = p->pitch;
        side->base = (char *)p->ptr + at.z * side->slice + at.y * p->pitch + at.x;
        return cudaSuccess;
    }
    if (a == NULL)
        return cudaErrorInvalidResourceHandle;
    if (!array_holds(a, at, extent))
        return cudaErrorInvalidValue;
    *side = array_side(a, at.x, at.y, at.z);
    return cudaSuccess;
}

cudaError_t
wjrt_copy_3d(const struct cudaMemcpy3DParms *p, wjrt_sink *sink, void *context)
{
    const struct cudaArray *to_array, *from_array;
    struct side to, from;
    size_t width;
    cudaError_t e;

    if (p == NULL || (p->srcArray != NULL) == (p->srcPtr.ptr != NULL) ||
        (p->dstArray != NULL) == (p->dstPtr.ptr != NULL))
        return cudaErrorInvalidValue;
    e = volume_side(p->dstArray, &p->dstPtr, p->dstPos, p->extent, &to);
    if (e == cudaSuccess)
        e = volume_side(p->srcArray, &p->srcPtr, p->srcPos, p->extent, &from);
    if (e != cudaSuccess)
        return e;
    to_array = wjrt_array(p->dstArray);
    from_array = wjrt_array(p->srcArray);
    width = p->extent.width; /* the width is in texels if one side is an array */
    if (to_array != NULL || from_array != NULL)
        width *= texel_bytes(to_array != NULL ? &to_array->info : &from_array->info);
    if (to_array != NULL && from_array != NULL &&
        texel_bytes(&to_array->info) != texel_bytes(&from_array->info))
        return cudaErrorInvalidValue;
    return copy_slices(to, from, width, p->extent.height, p->extent.depth, p->kind, sink,
                       context);
}

static cudaError_t
copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool wait)
{
    struct wjrt_target target = {stream, wait};

    return wjrt_copy_3d(p, wjrt_stream_sink, &target);
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

/* Checks the devices only: the addresses say whose memory it is. */
static cudaError_t
check_peers(int to_device, int from_device)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (!wjrt_is_device(to_device) || !wjrt_is_device(from_device)))
        e = cudaErrorInvalidDevice;
    return e;
}

static cudaError_t
copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool wait)
{
    struct cudaMemcpy3DParms same;
    cudaError_t e;

    if (p == NULL)
        return cudaErrorInvalidValue;
    e = check_peers(p->dstDevice, p->srcDevice);
    if (e != cudaSuccess)
        return e;
    same = (struct cudaMemcpy3DParms){
        p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
        p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    return copy_3d(&same, stream, wait);
}

cudaError_t
cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return wjrt_error(copy_3d_peer(p, NULL, true));
}
WJRT_PTDS(cudaMemcpy3DPeer);

cudaError_t
cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return wjrt_error(copy_3d_peer(p, stream, false));
}
WJRT_PTSZ(cudaMemcpy3DPeerAsync);

cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    cudaError_t e = check_peers(to_device, from_device);

    if (e != cudaSuccess)
        return wjrt_error(e);
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t
cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                    size_t bytes, cudaStream_t stream)
{
    cudaError_t e = check_peers(to_device, from_device);

    if (e != cudaSuccess)
        return wjrt_error(e);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

/* --- rows to and from arrays -------------------------------------------------------- */

/* A rectangle of width bytes and height rows, from byte x of row y on. */
static cudaError_t
array_rectangle(cudaArray_const_t handle, size_t x, size_t y, size_t width, size_t height,
                struct side *side)
{
    const struct cudaArray *a = wjrt_array(handle);
    struct texture_level l;
    size_t row_bytes;

    if (a == NULL)
        return cudaErrorInvalidResourceHandle;
    l = texture_level(&a->info, a->level);
    row_bytes = (size_t)l.width * texel_bytes(&a->info);
    if (x > row_bytes || width > row_bytes - x || y > l.height || height > l.height - y)
        return cudaErrorInvalidValue;
    *side = array_side(a, 0, y, 0);
    side->base += x;
    return cudaSuccess;
}

static cudaError_t
to_array(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
         size_t width, size_t height, enum cudaMemcpyKind kind, struct wjrt_target target)
{
    struct side to;
    cudaError_t e = array_rectangle(array, x, y, width, height, &to);

    if (e != cudaSuccess)
        return e;
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (pitch < width)
        return cudaErrorInvalidPitchValue;
    return wjrt_copy(&(struct wjrt_copy){to.base, to.pitch, from, pitch, width, height},
                     kind, wjrt_stream_sink, &target);
}

static cudaError_t
from_array(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
           size_t width, size_t height, enum cudaMemcpyKind kind,
           struct wjrt_target target)
{
    struct side from;
    cudaError_t e = array_rectangle(array, x, y, width, height, &from);

    if (e != cudaSuccess)
        return e;
    if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (pitch < width)
        return cudaErrorInvalidPitchValue;
    return wjrt_copy(&(struct wjrt_copy){to, pitch, from.base, from.pitch, width, height},
                     kind, wjrt_stream_sink, &target);
}

cudaError_t
cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t pitch,
                    size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return wjrt_error(to_array(array, x, y, from, pitch, width, height, kind,
                               (struct wjrt_target){NULL, true}));
}
WJRT_PTDS(cudaMemcpy2DToArray);

cudaError_t
cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from,
                         size_t pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wjrt_error(to_array(array, x, y, from, pitch, width, height, kind,
                               (struct wjrt_target){stream, false}));
}
WJRT_PTSZ(cudaMemcpy2DToArrayAsync);

cudaError_t
cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t array, size_t x, size_t y,
                      size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return wjrt_error(from_array(to, pitch, array, x, y, width, height, kind,
                                 (struct wjrt_target){NULL, true}));
}
WJRT_PTDS(cudaMemcpy2DFromArray);

cudaError_t
cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t array, size_t x,
                           size_t y, size_t width, size_t height,
                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return wjrt_error(from_array(to, pitch, array, x, y, width, height, kind,
                                 (struct wjrt_target){stream, false}));
}
WJRT_PTSZ(cudaMemcpy2DFromArrayAsync);

cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                         size_t from_x, size_t from_y, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    struct side side;
    cudaError_t e = array_rectangle(from, from_x, from_y, width, height, &side);

    if (e == cudaSuccess && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    if (e == cudaSuccess)
        e = to_array(to, to_x, to_y, side.base, side.pitch, width, height,
                     cudaMemcpyDeviceToDevice, (struct wjrt_target){NULL, true});
    return wjrt_error(e);
}
WJRT_PTDS(cudaMemcpy2DArrayToArray);

/* --- bytes to and from arrays: on from row to row ----------------------------------- */

static cudaError_t
copy_run(cudaArray_const_t handle, size_t x, size_t y, size_t bytes, struct side *side)
{
    const struct cudaArray *a = wjrt_array(handle);
    cudaError_t e = array_rectangle(handle, x, y, 0, 0, side);
    struct texture_level l;

    if (e != cudaSuccess)
        return e;
    l = texture_level(&a->info, a->level); /* its rows have no gaps */
    return bytes <= l.slice - (y * l.pitch + x) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void *from,
                       size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct side to;
    cudaError_t e = copy_run(array, x, y, bytes, &to);

    return e == cudaSuccess ? cudaMemcpyAsync(to.base, from, bytes, kind, stream)
                            : wjrt_error(e);
}
WJRT_PTSZ(cudaMemcpyToArrayAsync);

cudaError_t
cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void *from, size_t bytes,
                  enum cudaMemcpyKind kind)
{
    struct side to;
    cudaError_t e = copy_run(array, x, y, bytes, &to);

    return e == cudaSuccess ? cudaMemcpy(to.base, from, bytes, kind) : wjrt_error(e);
}
WJRT_PTDS(cudaMemcpyToArray);

cudaError_t
cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t array, size_t x, size_t y,
                         size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    struct side from;
    cudaError_t e = copy_run(array, x, y, bytes, &from);

    return e == cudaSuccess ? cudaMemcpyAsync(to, from.base, bytes, kind, stream)
                            : wjrt_error(e);
}
WJRT_PTSZ(cudaMemcpyFromArrayAsync);

cudaError_t
cudaMemcpyFromArray(void *to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                    enum cudaMemcpyKind kind)
{
    struct side from;
    cudaError_t e = copy_run(array, x, y, bytes, &from);

    return e == cudaSuccess ? cudaMemcpy(to, from.base, bytes, kind) : wjrt_error(e);
}
WJRT_PTDS(cudaMemcpyFromArray);

cudaError_t
cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                       size_t from_x, size_t from_y, size_t bytes,
                       enum cudaMemcpyKind kind)
{
    struct side side;
    cudaError_t e = copy_run(from, from_x, from_y, bytes, &side);

    if (e == cudaSuccess && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        e = cudaErrorInvalidMemcpyDirection;
    return e == cudaSuccess ? cudaMemcpyToArray(to, to_x, to_y, side.base, bytes,
                                                cudaMemcpyDeviceToDevice)
                            : wjrt_error(e);
}
WJRT_PTDS(cudaMemcpyArrayToArray);

/* --- many in one call --------------------------------------------------------------- */

cudaError_t
cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                     size_t count, struct cudaMemcpyAttributes *attributes,
                     size_t *attribute_starts, size_t attribute_count,
                     cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;

    (void)attributes; /* they say when the source may be read, which here is at once */
    (void)attribute_starts;
    if (to == NULL || from == NULL || bytes == NULL || count == 0 ||
        attribute_count > count || stream == NULL || stream == cudaStreamLegacy)
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && e == cudaSuccess; i++)
        e = cudaMemcpyAsync(to[i], from[i], bytes[i], cudaMemcpyDefault, stream);
    return e;
}
WJRT_PTSZ(cudaMemcpyBatchAsync);

/* One side of cudaMemcpy3DBatchAsync. Its rows and layers are counted in elements. */
static cudaError_t
operand_side(const struct cudaMemcpy3DOperand *o, struct cudaExtent extent,
             size_t element, struct side *side)
{
    const struct cudaArray *a;
    struct cudaPos at;

    if (o->type == cudaMemcpyOperandTypePointer) {
        size_t row = o->op.ptr.rowLength != 0 ? o->op.ptr.rowLength : extent.width;
        size_t rows = o->op.ptr.layerHeight != 0 ? o->op.ptr.layerHeight : extent.height;

        if (o->op.ptr.ptr == NULL || __builtin_mul_overflow(row, element, &side->pitch) ||
            __builtin_mul_overflow(side->pitch, rows, &side->slice))
            return cudaErrorInvalidValue;
        side->base = o->op.ptr.ptr;
        return cudaSuccess;
    }
    a = o->type == cudaMemcpyOperandTypeArray ? wjrt_array(o->op.array.array) : NULL;
    at = (struct cudaPos){o->op.array.offset.x, o->op.array.offset.y,
                          o->op.array.offset.z};
    if (a == NULL || !array_holds(a, at, extent))
        return cudaErrorInvalidValue;
    *side = array_side(a, at.x, at.y, at.z);
    return cudaSuccess;
}

/* The bytes of an element. In a copy between two memories an element is a byte. */
static size_t
element_of(const struct cudaMemcpy3DBatchOp *op)
{
    const struct cudaMemcpy3DOperand *o =
        op->dst.type == cudaMemcpyOperandTypeArray ? &op->dst : &op->src;
    const struct cudaArray *a =
        o->type == cudaMemcpyOperandTypeArray ? wjrt_array(o->op.array.array) : NULL;

    return a != NULL ? texel_bytes(&a->info) : 1;
}

cudaError_t
cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *ops,
                       unsigned long long flags, cudaStream_t stream)
{
    struct wjrt_target target = {stream, false};
    cudaError_t e = cudaSuccess;

    if (count == 0 || ops == NULL || flags != 0)
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && e == cudaSuccess; i++) {
        size_t element = element_of(&ops[i]);
        struct side to, from;

        e = operand_side(&ops[i].dst, ops[i].extent, element, &to);
        if (e == cudaSuccess)
            e = operand_side(&ops[i].src, ops[i].extent, element, &from);
        if (e == cudaSuccess)
            e = copy_slices(to, from, ops[i].extent.width * element, ops[i].extent.height,
                            ops[i].extent.depth, cudaMemcpyDefault, wjrt_stream_sink,
                            &target);
    }
    return wjrt_error(e);
}
WJRT_PTSZ(cudaMemcpy3DBatchAsync);
