/*
 * Stream capture (CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture").
 * What a stream is given becomes nodes of a graph. An event that one captured stream
 * records and another waits for carries the capture and its dependencies over. A call
 * that is not allowed meanwhile makes the capture invalid.
 */
#include "stream.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct capture {
    struct capture *next;
    unsigned long long id;
    struct CUgraph_st *graph;
    bool own_graph; /* false: the graph is the caller's (cudaStreamBeginCaptureToGraph) */
    bool invalid;
    enum cudaStreamCaptureMode mode;
    pthread_t thread;
};

static struct {
    pthread_mutex_t lock;
    struct capture *first;
    unsigned long long last_id;
    atomic_uint count; /* atomic, so that calls outside captures need no lock */
} captures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/* --- tails -------------------------------------------------------------------------- */

bool
wjrt_tails_set(struct tails *t, struct CUgraphNode_st *const *node, size_t count)
{
    struct CUgraphNode_st **copy = malloc((count + 1) * sizeof(struct CUgraphNode_st *));

    if (copy == NULL)
        return false;
    if (count > 0)
        memcpy(copy, node, count * sizeof(struct CUgraphNode_st *));
    free(t->node);
    *t = (struct tails){copy, count};
    return true;
}

static bool
tails_add(struct tails *t, const struct tails *more)
{
    size_t count = t->count;
    struct CUgraphNode_st **grown =
        realloc(t->node, (count + more->count + 1) * sizeof(struct CUgraphNode_st *));

    if (grown == NULL)
        return false;
    t->node = grown;
    for (size_t i = 0; i < more->count; i++) {
        bool known = false;

        for (size_t k = 0; k < t->count; k++)
            known |= grown[k] == more->node[i];
        if (!known)
            grown[t->count++] = more->node[i];
    }
    return true;
}

static void
tails_clear(struct tails *t)
{
    free(t->node);
    *t = (struct tails){0};
}

/* --- what is not allowed ------------------------------------------------------------ */

/* Asked by calls that might wait for captured work. Mode global forbids them in all
 * threads, mode thread-local in the capturing thread. A thread in mode relaxed may make
 * them. */
cudaError_t
wjrt_capture_unsafe(void)
{
    cudaError_t e = cudaSuccess;

    if (atomic_load(&captures.count) == 0 || thread_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    pthread_mutex_lock(&captures.lock);
    for (struct capture *c = captures.first; c != NULL; c = c->next) {
        if (c->mode == cudaStreamCaptureModeRelaxed ||
            ((c->mode == cudaStreamCaptureModeThreadLocal ||
              thread_mode == cudaStreamCaptureModeThreadLocal) &&
             !pthread_equal(c->thread, pthread_self())))
            continue;
        c->invalid = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    pthread_mutex_unlock(&captures.lock);
    return e;
}

struct legacy_use {
    bool conflict;
};

static void
conflict_with_legacy(struct CUstream_st *s, void *context)
{
    struct legacy_use *use = context;

    if (s->capture != NULL && !(s->flags & cudaStreamNonBlocking)) {
        s->capture->invalid = true;
        use->conflict = true;
    }
}

cudaError_t
wjrt_capture_legacy(void)
{
    struct legacy_use use = {false};

    if (atomic_load(&captures.count) == 0)
        return cudaSuccess;
    wjrt_streams_each(conflict_with_legacy, &use);
    return use.conflict ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

/* --- nodes -------------------------------------------------------------------------- */

static enum cudaGraphNodeType
type_of(const struct wjrt_op *op)
{
    switch (op->request.op) {
    case GPU_LAUNCH:
        return cudaGraphNodeTypeKernel;
    case GPU_SET:
        return cudaGraphNodeTypeMemset;
    case GPU_STAMP:
        return cudaGraphNodeTypeEventRecord;
    case GPU_OP_NONE:
        return op->host != NULL ? cudaGraphNodeTypeHost : cudaGraphNodeTypeMemcpy;
    default:
        return cudaGraphNodeTypeMemcpy;
    }
}

/* The parameters that cudaMemcpy3D would have for this copy. */
static struct cudaMemcpy3DParms
copy_of(const struct wjrt_op *op)
{
    const struct gpu_request *q = &op->request;
    struct cudaMemcpy3DParms p = {
        .srcPtr = {(void *)(uintptr_t)q->copy.from, q->copy.from_pitch, q->copy.width,
                   q->copy.height},
        .dstPtr = {(void *)(uintptr_t)q->copy.to, q->copy.to_pitch, q->copy.width,
                   q->copy.height},
        .extent = {q->copy.width, q->copy.height, 1},
        .kind = q->op == GPU_WRITE  ? cudaMemcpyHostToDevice
                : q->op == GPU_READ ? cudaMemcpyDeviceToHost
                                    : cudaMemcpyDefault,
    };

    if (q->op == GPU_OP_NONE) {
        p.srcPtr = (struct cudaPitchedPtr){op->from.base, op->from.pitch, op->from.width,
                                           op->from.height};
        p.dstPtr = (struct cudaPitchedPtr){op->rows.base, op->rows.pitch, op->rows.width,
                                           op->rows.height};
        p.extent = (struct cudaExtent){op->rows.width, op->rows.height, 1};
        p.kind = cudaMemcpyHostToHost;
    }
    return p;
}

/* Adds a finished node, on which the stream's next node will depend. */
static cudaError_t
capture_append(struct CUstream_st *s, struct CUgraphNode_st *n)
{
    if (!wjrt_tails_set(&s->tails, &n, 1)) {
        wjrt_node_free(n);
        return cudaErrorMemoryAllocation;
    }
    wjrt_node_add(n);
    return cudaSuccess;
}

cudaError_t
wjrt_capture_op(struct CUstream_st *s, const struct wjrt_op *op, bool wait)
{
    struct CUgraphNode_st *n;
    cudaError_t e;

    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (wait) {
        s->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    n = wjrt_node_new(s->capture->graph, type_of(op), s->tails.node, s->tails.count);
    if (n == NULL)
        return cudaErrorMemoryAllocation;
    e = wjrt_node_sink(n, op);
    if (e != cudaSuccess) {
        wjrt_node_free(n);
        return e;
    }
    if (n->type == cudaGraphNodeTypeMemcpy)
        n->copy = copy_of(op);
    return capture_append(s, n);
}

static cudaError_t
append_memory(struct CUstream_st *s, enum cudaGraphNodeType type, void *pointer,
              size_t bytes)
{
    struct CUgraphNode_st *n;

    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    n = wjrt_node_new(s->capture->graph, type, s->tails.node, s->tails.count);
    if (n == NULL)
        return cudaErrorMemoryAllocation;
    n->alloc.dptr = pointer;
    n->alloc.bytesize = bytes;
    return capture_append(s, n);
}

cudaError_t
wjrt_capture_alloc(struct CUstream_st *s, void **pointer, size_t bytes)
{
    cudaError_t e = wjrt_graph_alloc(pointer, bytes);

    return e == cudaSuccess ? append_memory(s, cudaGraphNodeTypeMemAlloc, *pointer, bytes)
                            : e;
}

cudaError_t
wjrt_capture_free(struct CUstream_st *s, void *pointer)
{
    return append_memory(s, cudaGraphNodeTypeMemFree, pointer, 0);
}

cudaError_t
wjrt_capture_record(struct CUstream_st *s, struct captured_event *event)
{
    if (s->capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (!wjrt_tails_set(&event->tails, s->tails.node, s->tails.count))
        return cudaErrorMemoryAllocation;
    event->capture = s->capture->id;
    return cudaSuccess;
}

static struct capture *
capture_by_id(unsigned long long id)
{
    struct capture *c;

    pthread_mutex_lock(&captures.lock);
    for (c = captures.first; c != NULL && c->id != id;)
        c = c->next;
    pthread_mutex_unlock(&captures.lock);
    return c;
}

cudaError_t
wjrt_capture_wait(struct CUstream_st *s, const struct captured_event *event)
{
    struct capture *c = event->capture != 0 ? capture_by_id(event->capture) : NULL;

    if (c == NULL) /* recorded outside, or the capture is over */
        return s->capture == NULL ? cudaSuccess : cudaErrorStreamCaptureIsolation;
    if (s->capture != NULL && s->capture != c) {
        s->capture->invalid = c->invalid = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (c->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (wjrt_is_legacy(s))
        return cudaErrorStreamCaptureImplicit;
    s->capture = c;
    return tails_add(&s->tails, &event->tails) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* --- beginning ---------------------------------------------------------------------- */

static cudaError_t
capture_begin(cudaStream_t stream, struct CUgraph_st *g, bool own,
              const struct tails *tails, enum cudaStreamCaptureMode mode)
{
    struct CUstream_st *s = wjrt_stream(stream);
    struct capture *c;

    if (s == NULL)
        return cudaErrorInvalidResourceHandle;
    if (wjrt_is_legacy(s))
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture != NULL) {
        s->capture->invalid = true;
        return cudaErrorIllegalState;
    }
    c = calloc(1, sizeof *c);
    if (c == NULL || !wjrt_tails_set(&s->tails, tails->node, tails->count)) {
        free(c);
        return cudaErrorMemoryAllocation;
    }
    *c = (struct capture){
        .graph = g, .own_graph = own, .mode = mode, .thread = pthread_self()};
    pthread_mutex_lock(&captures.lock);
    c->id = ++captures.last_id;
    c->next = captures.first;
    captures.first = c;
    atomic_fetch_add(&captures.count, 1);
    pthread_mutex_unlock(&captures.lock);
    s->capture = c;
    s->origin = true;
    return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct CUgraph_st *g = NULL;
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (unsigned)mode > cudaStreamCaptureModeRelaxed)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = cudaGraphCreate(&g, 0);
    if (e != cudaSuccess)
        return wjrt_error(e);
    e = capture_begin(stream, g, true, &(struct tails){0}, mode);
    if (e != cudaSuccess)
        cudaGraphDestroy(g);
    return wjrt_error(e);
}
WJRT_PTSZ(cudaStreamBeginCapture);

cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                              const cudaGraphNode_t *dependencies,
                              const cudaGraphEdgeData *edges, size_t count,
                              enum cudaStreamCaptureMode mode)
{
    struct CUgraph_st *g = wjrt_graph(graph);
    struct tails tails = {(struct CUgraphNode_st **)(uintptr_t)dependencies, count};
    cudaError_t e = wjrt_connect();

    (void)edges;
    if (e == cudaSuccess && (g == NULL || (unsigned)mode > cudaStreamCaptureModeRelaxed ||
                             (count > 0 && dependencies == NULL)))
        e = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && e == cudaSuccess; i++)
        if (wjrt_node(dependencies[i]) == NULL || dependencies[i]->graph != g)
            e = cudaErrorInvalidValue;
    return wjrt_error(e == cudaSuccess ? capture_begin(stream, g, false, &tails, mode)
                                       : e);
}
WJRT_PTSZ(cudaStreamBeginCaptureToGraph);

/* --- ending ------------------------------------------------------------------------- */

struct leaving {
    const struct capture *capture;
    const struct CUgraph_st *graph; /* or: ask for any capture into this graph */
    const struct CUstream_st *origin;
    bool unjoined;
};

/* Marks the node and all nodes on which it depends. */
static void
mark_reachable(struct CUgraphNode_st *n)
{
    if (n->mark != 0)
        return;
    n->mark = 1;
    for (size_t i = 0; i < n->dependency_count; i++)
        mark_reachable(n->dependency[i]);
}

/* Looks for another stream's work for which the origin never waited. */
static void
look_for_unjoined(struct CUstream_st *s, void *context)
{
    struct leaving *l = context;

    if (s->capture != l->capture || s == l->origin)
        return;
    for (size_t i = 0; i < s->tails.count; i++)
        l->unjoined |= s->tails.node[i]->mark == 0;
}

static void
capture_leave(struct CUstream_st *s, void *context)
{
    const struct leaving *l = context;

    if (s->capture == NULL || (s->capture != l->capture && l->capture != NULL) ||
        (l->graph != NULL && s->capture->graph != l->graph))
        return;
    s->capture = NULL;
    s->origin = false;
    tails_clear(&s->tails);
}

static void
capture_free(struct capture *c)
{
    struct capture **link = &captures.first;

    pthread_mutex_lock(&captures.lock);
    while (*link != NULL && *link != c)
        link = &(*link)->next;
    if (*link != NULL) {
        *link = c->next;
        atomic_fetch_sub(&captures.count, 1);
    }
    pthread_mutex_unlock(&captures.lock);
    free(c);
}

/* Ends captures into a graph that is being destroyed. */
void
wjrt_stream_leave(struct CUgraph_st *g)
{
    struct leaving l = {.graph = g};
    struct capture *c, *next;

    if (atomic_load(&captures.count) == 0)
        return;
    wjrt_streams_each(capture_leave, &l);
    for (c = captures.first; c != NULL; c = next) {
        next = c->next;
        if (c->graph == g)
            capture_free(c);
    }
}

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct CUstream_st *s = wjrt_stream(stream);
    struct leaving l = {.origin = s};
    struct CUgraph_st *g;
    struct capture *c;
    cudaError_t e = cudaSuccess;

    if (s == NULL || graph == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    if (s->capture == NULL)
        return wjrt_error(cudaErrorIllegalState);
    l.capture = c = s->capture;
    g = c->graph;
    if (!s->origin) {
        c->invalid = true;
        return wjrt_error(cudaErrorStreamCaptureUnmatched);
    }
    for (struct CUgraphNode_st *n = g->first; n != NULL; n = n->next)
        n->mark = 0;
    for (size_t i = 0; i < s->tails.count; i++)
        mark_reachable(s->tails.node[i]);
    wjrt_streams_each(look_for_unjoined, &l);
    if (c->invalid)
        e = cudaErrorStreamCaptureInvalidated;
    else if (c->mode != cudaStreamCaptureModeRelaxed &&
             !pthread_equal(c->thread, pthread_self()))
        e = cudaErrorStreamCaptureWrongThread;
    else if (l.unjoined)
        e = cudaErrorStreamCaptureUnjoined;
    if (e == cudaErrorStreamCaptureWrongThread)
        return wjrt_error(e);
    wjrt_streams_each(capture_leave, &l);
    *graph = e == cudaSuccess ? g : NULL;
    if (e != cudaSuccess && c->own_graph)
        cudaGraphDestroy(g);
    else
        capture_free(c);
    return wjrt_error(e);
}
WJRT_PTSZ(cudaStreamEndCapture);

/* --- what can be asked -------------------------------------------------------------- */

static enum cudaStreamCaptureStatus
capture_status(const struct CUstream_st *s)
{
    return s->capture == NULL    ? cudaStreamCaptureStatusNone
           : s->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || status == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *status = capture_status(s);
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamIsCapturing);

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode old = thread_mode;

    if (mode == NULL || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
        return wjrt_error(cudaErrorInvalidValue);
    thread_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                         unsigned long long *id, cudaGraph_t *graph,
                         const cudaGraphNode_t **dependencies,
                         const cudaGraphEdgeData **edges, size_t *count)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL || status == NULL)
        return wjrt_error(s == NULL ? cudaErrorInvalidResourceHandle
                                    : cudaErrorInvalidValue);
    *status = capture_status(s);
    if (*status != cudaStreamCaptureStatusActive)
        return cudaSuccess;
    if (id != NULL)
        *id = s->capture->id;
    if (graph != NULL)
        *graph = s->capture->graph;
    if (dependencies != NULL)
        *dependencies = s->tails.node;
    if (edges != NULL)
        *edges = NULL; /* all edges are of the ordinary kind */
    if (count != NULL)
        *count = s->tails.count;
    return cudaSuccess;
}
WJRT_PTSZ(cudaStreamGetCaptureInfo);

cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                    const cudaGraphEdgeData *edges, size_t count,
                                    unsigned int flags)
{
    struct CUstream_st *s = wjrt_stream(stream);
    struct tails more = {dependencies, count};
    bool done;

    (void)edges;
    if (s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    if (s->capture == NULL)
        return wjrt_error(cudaErrorIllegalState);
    if ((count > 0 && dependencies == NULL) || flags > cudaStreamSetCaptureDependencies)
        return wjrt_error(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        if (wjrt_node(dependencies[i]) == NULL ||
            dependencies[i]->graph != s->capture->graph)
            return wjrt_error(cudaErrorInvalidValue);
    done = flags == cudaStreamSetCaptureDependencies
               ? wjrt_tails_set(&s->tails, dependencies, count)
               : tails_add(&s->tails, &more);
    return wjrt_error(done ? cudaSuccess : cudaErrorMemoryAllocation);
}
WJRT_PTSZ(cudaStreamUpdateCaptureDependencies);
