/*
 * Streams. All of them are the one queue (runtime.h), so a stream holds only what can be
 * asked about it, and the graph that it is being captured into.
 */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>

#define STREAM_MAGIC 0x77737472u

struct CUstream_st {
    uint32_t magic;
    unsigned flags;
    int priority;
    unsigned long long id;
    struct CUgraph_st *capture;
    bool origin; /* the stream that the capture began in */
    struct CUstream_st *next;
};

static struct CUstream_st legacy = {.magic = STREAM_MAGIC, .id = 1};
static struct CUstream_st per_thread = {.magic = STREAM_MAGIC, .id = 2};

static struct {
    pthread_mutex_t lock;
    struct CUstream_st *first;
    unsigned long long last_id;
} streams = {.lock = PTHREAD_MUTEX_INITIALIZER, .last_id = 2};

struct CUstream_st *
wjrt_stream(cudaStream_t handle)
{
    if (handle == NULL || handle == cudaStreamLegacy)
        return &legacy;
    if (handle == cudaStreamPerThread)
        return &per_thread;
    return handle->magic == STREAM_MAGIC ? handle : NULL;
}

/* --- making and asking
 * ------------------------------------------------------------------------ */

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    struct CUstream_st *s;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (stream == NULL || flags > cudaStreamNonBlocking)
        return wjrt_error(cudaErrorInvalidValue);
    s = calloc(1, sizeof *s);
    if (s == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    s->magic = STREAM_MAGIC;
    s->flags = flags;
    s->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    pthread_mutex_lock(&streams.lock);
    s->id = ++streams.last_id;
    s->next = streams.first;
    streams.first = s;
    pthread_mutex_unlock(&streams.lock);
    *stream = s;
    return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    struct CUstream_st *s = wjrt_stream(stream), **link;

    if (s == NULL || s == &legacy || s == &per_thread)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    pthread_mutex_lock(&streams.lock);
    for (link = &streams.first; *link != NULL && *link != s;)
        link = &(*link)->next;
    if (*link != NULL)
        *link = s->next;
    pthread_mutex_unlock(&streams.lock);
    s->magic = 0;
    free(s);
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (s->capture != NULL)
        return wjrt_error(cudaErrorStreamCaptureUnsupported);
    return wjrt_error(wjrt_synchronize());
}
WJRT_PTSZ(cudaStreamSynchronize);

/* Waits, which is allowed: a program can't tell it from a device that was quick. */
cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}
WJRT_PTSZ(cudaStreamQuery);

cudaError_t
cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || priority == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *priority = s->priority;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetPriority);

cudaError_t
cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || flags == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *flags = s->flags;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetFlags);

cudaError_t
cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || id == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *id = s->id;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetId);

cudaError_t
cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    if (wjrt_stream(stream) == NULL || device == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    *device = 0;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetDevice);

/* Access policy windows and the like change how fast, not what. */
cudaError_t
cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                       const cudaStreamAttrValue *value)
{
    (void)attribute;
    if (wjrt_stream(stream) == NULL || value == NULL)
        return wjrt_error(value == NULL ? cudaErrorInvalidValue
                                        : cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamSetAttribute);

cudaError_t
cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return wjrt_error(wjrt_stream(to) != NULL && wjrt_stream(from) != NULL
                          ? cudaSuccess
                          : cudaErrorInvalidResourceHandle);
}
WJRT_PTSZ(cudaStreamCopyAttributes);

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                         unsigned int flags)
{
    (void)bytes;
    (void)flags;
    if (wjrt_stream(stream) == NULL || pointer == NULL)
        return wjrt_error(pointer == NULL ? cudaErrorInvalidValue
                                          : cudaErrorInvalidResourceHandle);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamAttachMemAsync);

/* --- host functions
 * ---------------------------------------------------------------------------- */

cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct wjrt_op op = {.host = function, .host_data = data};
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && function == NULL)
        e = cudaErrorInvalidValue;
    return wjrt_error(e == cudaSuccess ? wjrt_enqueue(stream, &op, false) : e);
}
WJRT_PTSZ(cudaLaunchHostFunc);

cudaError_t
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                      unsigned int flags)
{
    struct CUstream_st *s = wjrt_stream(stream);
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (s == NULL || callback == NULL || flags != 0)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    if (s->capture != NULL)
        return wjrt_error(cudaErrorStreamCaptureUnsupported);
    callback(stream, wjrt_synchronize(), data);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamAddCallback);

/* --- capture
 * ---------------------------------------------------------------------------------------
 */

struct CUgraph_st *
wjrt_stream_capture(struct CUstream_st *s)
{
    return s->capture;
}

void
wjrt_stream_join(struct CUstream_st *s, struct CUgraph_st *g)
{
    s->capture = g;
}

void
wjrt_stream_leave(struct CUgraph_st *g)
{
    pthread_mutex_lock(&streams.lock);
    for (struct CUstream_st *s = streams.first; s != NULL; s = s->next)
        if (s->capture == g) {
            s->capture = NULL;
            s->origin = false;
        }
    pthread_mutex_unlock(&streams.lock);
    if (per_thread.capture == g) {
        per_thread.capture = NULL;
        per_thread.origin = false;
    }
}

static cudaError_t
begin_capture(cudaStream_t stream, struct CUgraph_st *g)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL)
        return cudaErrorInvalidResourceHandle;
    if (s == &legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture != NULL)
        return cudaErrorIllegalState;
    s->capture = g;
    s->origin = true;
    return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct CUgraph_st *g;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cudaGraphCreate(&g, 0);
    if (e != cudaSuccess)
        return wjrt_error(e);
    e = begin_capture(stream, g);
    if (e != cudaSuccess)
        cudaGraphDestroy(g);
    return wjrt_error(e);
}
WJRT_PTSZ(cudaStreamBeginCapture);

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || graph == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    if (s->capture == NULL)
        return wjrt_error(cudaErrorIllegalState);
    if (!s->origin)
        return wjrt_error(cudaErrorStreamCaptureUnmatched);
    *graph = s->capture;
    wjrt_stream_leave(s->capture);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamEndCapture);

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || status == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *status =
        s->capture != NULL ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamIsCapturing);

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    enum cudaStreamCaptureMode old = current;

    if (mode == NULL || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return wjrt_error(cudaErrorInvalidValue);
    current = *mode; /* nothing is unsafe during a capture here: it is only kept */
    *mode = old;
    return cudaSuccess;
}

/* Nodes have no handles yet, so what the stream depends on is not told. */
cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                         unsigned long long *id, cudaGraph_t *graph,
                         const cudaGraphNode_t **dependencies,
                         const cudaGraphEdgeData **edges, size_t *count)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || status == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    if (s->capture != NULL && (dependencies != NULL || edges != NULL || count != NULL))
        return wjrt_error(cudaErrorNotSupported);
    *status =
        s->capture != NULL ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    if (s->capture != NULL && id != NULL)
        *id = (unsigned long long)(uintptr_t)s->capture;
    if (s->capture != NULL && graph != NULL)
        *graph = s->capture;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetCaptureInfo);
