/*
 * Events. To record one, the device notes its modelled time at that place in the queue.
 * cudaEventElapsedTime returns the difference of two such times.
 */
#include "stream.h"

#include "../gpu/protocol.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAGIC 0x77657674u
#define SLOTS_MAX 65536u /* what the device keeps for one client (gpu/client.h) */

struct CUevent_st {
    uint32_t magic, slot;
    unsigned flags;
    uint16_t device;
    bool recorded;
    struct captured_event captured; /* last recorded in a stream that was captured */
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

/* If there is no memory to remember a free slot, the slot is not used again. */
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
    if (flags & cudaEventInterprocess) {
        if (!(flags & cudaEventDisableTiming))
            return wjrt_error(cudaErrorInvalidValue);
        wjrt_warn_once("cudaEventCreateWithFlags: the emulated GPU has no events that "
                       "processes share (cudaEventInterprocess)");
        return wjrt_error(cudaErrorNotSupported);
    }
    made = calloc(1, sizeof *made);
    if (made == NULL || !slot_take(&made->slot)) {
        free(made);
        return wjrt_error(cudaErrorMemoryAllocation);
    }
    made->magic = EVENT_MAGIC;
    made->flags = flags;
    made->device = wjrt_device();
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
    free(event->captured.tails.node);
    free(event);
    return cudaSuccess;
}

cudaError_t
wjrt_event_op(cudaEvent_t event, struct wjrt_op *op)
{
    if (!is_event(event))
        return cudaErrorInvalidResourceHandle;
    op->request =
        (struct gpu_request){.op = GPU_STAMP, .device = event->device, .id = event->slot};
    return cudaSuccess;
}

void
wjrt_event_recorded(cudaEvent_t event)
{
    if (is_event(event))
        event->recorded = true;
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    struct CUstream_st *s = wjrt_stream(stream);
    struct wjrt_op op = {0};
    cudaError_t e = wjrt_event_op(event, &op);

    if (e != cudaSuccess || s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (wjrt_stream_device(s) != event->device)
        return wjrt_error(
            wjrt_explain(cudaErrorInvalidResourceHandle,
                         "an event of device %d is recorded in a stream of device %d",
                         event->device, wjrt_stream_device(s)));
    if (flags > cudaEventRecordExternal)
        return wjrt_error(cudaErrorInvalidValue);
    event->captured.capture = 0;
    if (s->capture != NULL && flags != cudaEventRecordExternal)
        return wjrt_error(wjrt_capture_record(
            s, &event->captured)); /* a captured wait only adds edges */
    e = wjrt_enqueue(stream, &op, false);
    if (e == cudaSuccess && s->capture == NULL)
        event->recorded = true;
    else if (e == cudaSuccess)
        s->tails.node[0]->event = event;
    return wjrt_error(e);
}
WJRT_PTSZ(cudaEventRecordWithFlags);

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
WJRT_PTSZ(cudaEventRecord);

/* Lets the stream's device wait, in modelled time, for an event of the other device. */
static cudaError_t
wait_for_device(const struct CUstream_st *s, const struct CUevent_st *event)
{
    struct gpu_request q = {.op = GPU_AFTER,
                            .flags = GPU_QUIET,
                            .device = wjrt_stream_device(s),
                            .id = event->slot};

    if (!event->recorded || q.device == event->device)
        return cudaSuccess;
    return wjrt_request(&q, NULL);
}

/* Streams are in order anyway. But to wait for an event of a captured stream makes the
 * waiting stream a part of the capture. */
cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || !is_event(event))
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (flags > cudaEventWaitExternal)
        return wjrt_error(cudaErrorInvalidValue);
    if (flags == cudaEventWaitExternal ||
        (s->capture == NULL && event->captured.capture == 0))
        return wjrt_error(wait_for_device(s, event));
    return wjrt_error(wjrt_capture_wait(s, &event->captured));
}
WJRT_PTSZ(cudaStreamWaitEvent);

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    if (!is_event(event))
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (event->captured.capture != 0)
        return wjrt_error(cudaErrorCapturedEvent);
    return wjrt_error(event->recorded ? wjrt_synchronize(event->device) : cudaSuccess);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

static cudaError_t
event_time(const struct CUevent_st *event, double *ns)
{
    struct gpu_request q = {
        .op = GPU_STAMPED, .device = event->device, .id = event->slot};
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
        start->device != end->device ||
        (start->flags | end->flags) & cudaEventDisableTiming)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    e = event_time(start, &start_ns);
    if (e == cudaSuccess)
        e = event_time(end, &end_ns);
    if (e == cudaSuccess)
        *ms = (float)((end_ns - start_ns) / 1e6);
    return wjrt_error(e);
}
