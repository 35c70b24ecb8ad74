/*
 * Streams. All of them are the one queue (runtime.h), so a stream holds only its
 * attributes and the graph into which it is captured.
 */
#include "stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_MAGIC 0x77737472u

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

uint16_t
wjrt_stream_device(const struct CUstream_st *s)
{
    return s == &legacy || s == &per_thread ? wjrt_device() : s->device;
}

bool
wjrt_is_legacy(const struct CUstream_st *s)
{
    return s == &legacy;
}

void
wjrt_streams_each(void (*fn)(struct CUstream_st *s, void *context), void *context)
{
    pthread_mutex_lock(&streams.lock);
    for (struct CUstream_st *s = streams.first; s != NULL; s = s->next)
        fn(s, context);
    fn(&per_thread, context);
    pthread_mutex_unlock(&streams.lock);
}

/* --- making and asking -------------------------------------------------------------- */

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
    s->device = wjrt_device();
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
    free(s->tails.node);
    free(s);
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    struct CUstream_st *s = wjrt_stream(stream);
    cudaError_t e;

    if (s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    e = wjrt_capture_unsafe();
    if (e == cudaSuccess && s->capture != NULL)
        e = wjrt_capture_op(s, NULL, true);
    return wjrt_error(e == cudaSuccess ? wjrt_synchronize(wjrt_stream_device(s)) : e);
}
WJRT_PTSZ(cudaStreamSynchronize);

/* Waits, which is allowed: to a program it looks like a quick device. */
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
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || device == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    *device = wjrt_stream_device(s);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetDevice);

cudaError_t
cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                       cudaStreamAttrValue *value)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || value == NULL)
        return wjrt_error(value == NULL ? cudaErrorInvalidValue
                                        : cudaErrorInvalidResourceHandle);
    memset(value, 0, sizeof *value);
    if (attribute == cudaLaunchAttributePriority)
        value->priority = s->priority;
    else if (attribute == cudaLaunchAttributeSynchronizationPolicy)
        value->syncPolicy = cudaSyncPolicyAuto;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetAttribute);

/* Access policy windows and the like change only how fast a program is. */
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

/* --- host functions ----------------------------------------------------------------- */

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
        return wjrt_error(wjrt_capture_op(s, NULL, true));
    callback(stream, wjrt_synchronize(wjrt_stream_device(s)), data);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamAddCallback);
