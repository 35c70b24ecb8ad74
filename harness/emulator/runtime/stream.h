/* Streams and captures, shared by stream.c, capture.c and event.c. */
#ifndef EMULATOR_RUNTIME_STREAM_H
#define EMULATOR_RUNTIME_STREAM_H

#include "graph.h"

/* The nodes on which a stream's next node will depend. */
struct tails {
    struct CUgraphNode_st **node;
    size_t count;
};

struct capture;

struct CUstream_st {
    uint32_t magic;
    unsigned flags;
    int priority;
    uint16_t device; /* unused by the default streams: see wjrt_stream_device */
    unsigned long long id;
    struct capture *capture; /* NULL: none */
    bool origin;             /* the capture began in this stream */
    struct tails tails;
    struct CUstream_st *next;
};

/* Calls fn for each stream, under the streams' lock. */
void wjrt_streams_each(void (*fn)(struct CUstream_st *s, void *context), void *context);
bool wjrt_is_legacy(const struct CUstream_st *s);

/* --- capture.c ---------------------------------------------------------------------- */

bool wjrt_tails_set(struct tails *t, struct CUgraphNode_st *const *node, size_t count);

/* Makes the operation a node. `wait` means that it cannot be captured, which ends the
 * capture. */
cudaError_t wjrt_capture_op(struct CUstream_st *s, const struct wjrt_op *op, bool wait);

/* Allocates or frees in a stream that is captured. */
cudaError_t wjrt_capture_alloc(struct CUstream_st *s, void **pointer, size_t bytes);
cudaError_t wjrt_capture_free(struct CUstream_st *s, void *pointer);

/* What an event means that was recorded in a captured stream. A stream that waits for
 * it joins the capture. id 0: nothing. */
struct captured_event {
    unsigned long long capture;
    struct tails tails;
};
cudaError_t wjrt_capture_record(struct CUstream_st *s, struct captured_event *event);
cudaError_t wjrt_capture_wait(struct CUstream_st *s, const struct captured_event *event);

#endif
