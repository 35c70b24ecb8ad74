/*
 * Events. Recording one makes the device remember its modelled time at that place in the
 * queue; the difference of two is what cudaEventElapsedTime tells.
 */
#include "runtime.h"

#include "../gpu/protocol.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAGIC 0x77657674u
#define SLOTS_MAX 65536u /* what the device keeps for one client (gpu/client.h) */

struct CUevent_st {
    uint32_t magic, slot;
    unsigned flags;
    bool recorded;
    struct CUgraph_st *capture; /* last recorded in a stream that is captured into this */
};

static struct {
    pthread_mutex_t lock;
    uint32_t *free_slot;
    uint32_t free_count, free_cap, used;
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
slot_take(uint32_t *slot)
{
    bool taken = true;

    pthread_mutex_lock(&slots.lock);
    if (slots.free_count > 0)
        *slot = slots.free_slot[--slots.free_count];
    else if (slots.used < SLOTS_MAX)
        *slot = slots.used++;
    else
        taken = false;
    pthread_mutex_unlock(&slots.lock);
    return taken;
}

/* A slot that can't be remembered for lack of memory is merely not used again. */
static void
slot_give(uint32_t slot)
{
    pthread_mutex_lock(&slots.lock);
    if (slots.free_count == slots.free_cap) {
        uint32_t cap = slots.free_cap != 0 ? 2 * slots.free_cap : 64;
        uint32_t *grown = realloc(slots.free_slot, cap * sizeof *grown);

        if (grown != NULL) {
            slots.free_slot = grown;
            slots.free_cap = cap;
        }
    }
    if (slots.free_count < slots.free_cap)
        slots.free_slot[slots.free_count++] = slot;
    pthread_mutex_unlock(&slots.lock);
}

static bool
is_event(const struct CUevent_st *e)
{
    return e != NULL && e->magic == EVENT_MAGIC;
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    struct CUevent_st *made;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (event == NULL ||
        flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
        return wjrt_error(cudaErrorInvalidValue);
    if (flags & cudaEventInterprocess)
        return wjrt_error(cudaErrorNotSupported);
    made = calloc(1, sizeof *made);
    if (made == NULL || !slot_take(&made->slot)) {
        free(made);
        return wjrt_error(cudaErrorMemoryAllocation);
    }
    made->magic = EVENT_MAGIC;
    made->flags = flags;
    *event = made;
    return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    if (!is_event(event))
        return wjrt_error(cudaErrorInvalidResourceHandle);
    slot_give(event->slot);
    event->magic = 0;
    free(event);
    return cudaSuccess;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    struct wjrt_op op = {.request = {.op = GPU_STAMP}};
    struct CUstream_st *s = wjrt_stream(stream);
    struct CUgraph_st *g;
    cudaError_t e;

    if (!is_event(event) || s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventRecordExternal)
        return wjrt_error(cudaErrorInvalidValue);
    g = wjrt_stream_capture(s);
    event->capture = flags == cudaEventRecordExternal ? NULL : g;
    if (event->capture != NULL)
        return cudaSuccess; /* an edge of the graph, no more */
    op.request.id = event->slot;
    e = wjrt_enqueue(stream, &op, false);
    if (e == cudaSuccess)
        event->recorded = true;
    return wjrt_error(e);
}
WJRT_PTSZ(cudaEventRecordWithFlags);

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
WJRT_PTSZ(cudaEventRecord);

/* Streams are in order among each other already; but waiting for an event of a captured
 * stream makes the waiting one part of the capture. */
cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || !is_event(event))
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventWaitExternal)
        return wjrt_error(cudaErrorInvalidValue);
    if (event->capture == NULL)
        return cudaSuccess;
    if (wjrt_stream_capture(s) != NULL && wjrt_stream_capture(s) != event->capture)
        return wjrt_error(cudaErrorStreamCaptureMerge);
    wjrt_stream_join(s, event->capture);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamWaitEvent);

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    if (!is_event(event))
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (event->capture != NULL)
        return wjrt_error(cudaErrorCapturedEvent);
    return wjrt_error(event->recorded ? wjrt_synchronize() : cudaSuccess);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static cudaError_t
event_time(const struct CUevent_st *event, double *ns)
{
    struct gpu_request q = {.op = GPU_STAMPED, .id = event->slot};
    struct gpu_reply reply;
    cudaError_t e = wjrt_request(&q, &reply);

    if (e == cudaSuccess && reply.value[1] == 0)
        e = cudaErrorInvalidResourceHandle;
    if (e == cudaSuccess)
        memcpy(ns, &reply.value[0], sizeof *ns);
    return e;
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    double start_ns, end_ns;
    cudaError_t e;

    if (ms == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (!is_event(start) || !is_event(end) || !start->recorded || !end->recorded ||
        (start->flags | end->flags) & cudaEventDisableTiming)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    e = event_time(start, &start_ns);
    if (e == cudaSuccess)
        e = event_time(end, &end_ns);
    if (e == cudaSuccess)
        *ms = (float)((end_ns - start_ns) / 1e6);
    return wjrt_error(e);
}
