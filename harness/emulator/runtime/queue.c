/* Executes work in the order in which it was issued. */
#include "stream.h"

#include <string.h>

cudaError_t
wjrt_synchronize(int device)
{
    struct gpu_request q = {.op = GPU_SYNC, .device = (uint16_t)device};

    return wjrt_request(&q, NULL);
}

static void
copy_on_host(const struct wjrt_op *op)
{
    for (size_t row = 0; row < op->rows.height; row++)
        memmove(op->rows.base + row * op->rows.pitch,
                op->from.base + row * op->from.pitch, op->rows.width);
}

cudaError_t
wjrt_execute(const struct wjrt_op *op, bool wait)
{
    struct wjrt_exchange x = {.request = op->request, .text = op->text};

    if (op->request.op == GPU_OP_NONE) {
        /* A host function runs when all work before it is done, even after an error. */
        cudaError_t e = wjrt_synchronize(op->request.device);

        if (op->host != NULL)
            op->host(op->host_data);
        else
            copy_on_host(op);
        return e;
    }
    if (op->request.op == GPU_READ)
        x.from = op->rows; /* a copy to pageable memory must be complete when we return */
    else if (!wait)
        x.request.flags |= GPU_QUIET;
    if (op->request.op == GPU_WRITE)
        x.to = op->rows;
    return wjrt_exchange(&x);
}

cudaError_t
wjrt_enqueue(cudaStream_t stream, const struct wjrt_op *op, bool wait)
{
    struct CUstream_st *s = wjrt_stream(stream);
    struct wjrt_op here = *op;
    cudaError_t e;

    if (s == NULL)
        return cudaErrorInvalidResourceHandle;
    here.request.device = wjrt_stream_device(s);
    if (s->capture != NULL)
        return wjrt_capture_op(s, &here, wait);
    e = wjrt_is_legacy(s) ? wjrt_capture_legacy() : cudaSuccess;
    return e == cudaSuccess ? wjrt_execute(&here, wait) : e;
}

cudaError_t
wjrt_stream_sink(void *context, const struct wjrt_op *op)
{
    const struct wjrt_target *t = context;

    return wjrt_enqueue(t->stream, op, t->wait);
}
