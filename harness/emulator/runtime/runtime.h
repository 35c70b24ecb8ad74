/*
 * The CUDA runtime library with which submissions are linked where there is no GPU. One
 * side is NVIDIA's API (cuda_runtime_api.h has the prototypes), the other the socket to
 * the emulated GPU (gpu/protocol.h). It holds no device memory and no results. A device
 * pointer is only a number here, which host code cannot follow.
 *
 *    connection.c      the socket: one exchange at a time
 *    queue.c           asynchronous work in order, captured or executed
 *    registration.c    what nvcc's constructors register; modules loaded at first use
 *    library.c         modules that a program loads itself
 *    launch.c, function.c, cluster.c, symbol.c     kernels and variables
 *    memory.c, managed.c, pool.c, copy.c           memory and copies
 *    array*.c, texture.c                           arrays, textures and surfaces
 *    stream.c, event.c, device.c, peer.c           streams, events, devices
 *    capture.c, graph*.c, user_object.c            graphs
 *    error.c, host_fault.c                         errors, and why they occurred
 *    unavailable.c                                 the functions that are not there
 *
 * All streams of all devices are one queue. Work is executed in the order in which it was
 * issued, which every CUDA program must allow. Launches and asynchronous copies to the
 * device are sent without waiting. Their errors come with the next call that waits.
 *
 * Every name that is not NVIDIA's begins with wjrt_ or warpjudge_.
 */
#ifndef EMULATOR_RUNTIME_H
#define EMULATOR_RUNTIME_H

#include "../gpu/protocol.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defines the same function for programs that are compiled with --default-stream
 * per-thread. */
#define WJRT_PTSZ(name) extern __typeof__(name) name##_ptsz __attribute__((alias(#name)))
#define WJRT_PTDS(name) extern __typeof__(name) name##_ptds __attribute__((alias(#name)))

/* --- error.c ------------------------------------------------------------------------ */

/* Remembers an error for cudaGetLastError and returns it. */
cudaError_t wjrt_error(cudaError_t e);

/* Does it leave the context unusable? */
bool wjrt_is_sticky(cudaError_t e);

/* Returns e and keeps a sentence about it for warpjudge_explain_error. */
cudaError_t wjrt_explain(cudaError_t e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For the runner: why this error occurred in this thread, or "" if its name says
 * enough. */
const char *warpjudge_explain_error(int error);

/* Prints a line on stderr about something that no error code tells. Each text once. */
void wjrt_warn_once(const char *text);

/* --- connection.c ------------------------------------------------------------------- */

/* Rows of host memory: each has width bytes, and they begin pitch bytes apart. */
struct wjrt_rows {
    char *base;
    size_t pitch, width, height;
};

struct wjrt_exchange {
    struct gpu_request request;
    const void *text;       /* request.inline_bytes of it */
    struct wjrt_rows to;    /* bulk to the device: rows.width * rows.height bytes */
    struct wjrt_rows from;  /* where the reply's bulk goes; base NULL: into `bulk` */
    struct gpu_reply reply; /* zero for a quiet request */
    void *bulk;             /* reply.bulk_bytes bytes; the caller frees; NULL if none */
    int fd;                 /* the descriptor that came with the reply, or -1 */
};

/* Sends the request, and waits for the reply unless the request is quiet. Returns the
 * reply's status, or cudaErrorNoDevice without an emulated GPU. It is thread-safe. */
cudaError_t wjrt_exchange(struct wjrt_exchange *x);

/* The same for a request with neither text nor bulk. reply may be NULL. */
cudaError_t wjrt_request(const struct gpu_request *q, struct gpu_reply *reply);

/* Connects if this has not been done. */
cudaError_t wjrt_connect(void);
const struct machine_properties *wjrt_properties(void); /* after a successful connect */

/* --- host_fault.c ------------------------------------------------------------------- */

/* From now on a segmentation fault that a device pointer causes is explained on standard
 * error, unless the program has a handler of its own. */
void wjrt_explain_host_faults(void);

/* --- queue.c ------------------------------------------------------------------------ */

/* Something that a stream does: a request to the device, a call of a host function, or a
 * copy between host memories. */
struct wjrt_op {
    struct gpu_request request; /* op GPU_OP_NONE: the host function, or host copy */
    void *text;                 /* launch parameters, request.inline_bytes */
    struct wjrt_rows rows;      /* WRITE and READ: the host side; host copy: to */
    struct wjrt_rows from;      /* host copy */
    const void *kernel;         /* LAUNCH: the program's name for the kernel */
    cudaHostFn_t host;          /* NULL: a host copy */
    void *host_data;
};

/* Takes operations one after the other; it is a stream or a node of a graph. */
typedef cudaError_t wjrt_sink(void *context, const struct wjrt_op *op);

/* Executes the operation, or adds it to the graph that the stream is capturing. With
 * `wait` the caller needs its result now, which a capture refuses. The operation is
 * copied. */
cudaError_t wjrt_enqueue(cudaStream_t stream, const struct wjrt_op *op, bool wait);
cudaError_t wjrt_execute(const struct wjrt_op *op, bool wait);
cudaError_t wjrt_synchronize(int device); /* waits for the device */

/* --- device.c ----------------------------------------------------------------------- */

uint16_t wjrt_device(void);      /* the calling thread's current one */
bool wjrt_is_device(int device); /* after a successful connect */

/* --- stream.c, capture.c, event.c, graph_exec.c ------------------------------------- */

/* The stream of a handle, or NULL if it is none. The default streams have one too. */
struct CUstream_st *wjrt_stream(cudaStream_t handle);
/* The device of a stream; for the default streams the calling thread's current one. */
uint16_t wjrt_stream_device(const struct CUstream_st *s);

/* Asked by calls that some capture may forbid. If one does, an error is returned and
 * that capture is invalid from then on. */
cudaError_t wjrt_capture_unsafe(void);
cudaError_t wjrt_capture_legacy(void);        /* work in the legacy default stream */
void wjrt_stream_leave(struct CUgraph_st *g); /* ends all captures into g */

cudaError_t wjrt_event_op(cudaEvent_t event,
                          struct wjrt_op *op); /* the operation that records it */
void wjrt_event_recorded(cudaEvent_t event);

/* The copy of a graph's node in an executable graph, or NULL. */
struct CUgraphNode_st *wjrt_exec_node(cudaGraphExec_t exec,
                                      const struct CUgraphNode_st *node);

/* --- launch.c, symbol.c ------------------------------------------------------------- */

/* Checks a launch and gives it to the sink. */
cudaError_t wjrt_kernel(const struct cudaKernelNodeParams *p, bool cooperative,
                        wjrt_sink *sink, void *context);

/* The address at this offset of a variable, where `bytes` bytes must fit. */
cudaError_t wjrt_symbol_place(const void *symbol, size_t bytes, size_t offset,
                              char **place);

/* --- registration.c ----------------------------------------------------------------- */

struct wjrt_function {
    const void *host; /* the stub's address: what a program names the kernel by */
    const char *name; /* mangled */
    struct wjrt_image *image;
    bool resolved[MACHINE_DEVICES_MAX];
    uint32_t id[MACHINE_DEVICES_MAX]; /* once resolved there */
    struct gpu_kernel kernel; /* once resolved; all but the id is the same everywhere */
    struct gpu_param *param;
    int max_dynamic_shared; /* cudaFuncSetAttribute; bytes */
    bool large_clusters;    /* cudaFuncSetAttribute; of up to 16 blocks */
    int carveout;
};

struct wjrt_variable {
    const void *host;
    const char *name;
    struct wjrt_image *image;
    bool resolved[MACHINE_DEVICES_MAX];
    uint64_t address[MACHINE_DEVICES_MAX], bytes;
    void **managed; /* where host code finds a __managed__ variable, or NULL */
    struct wjrt_variable *next_managed;
};

/* Finds a kernel by its stub's address or its cudaKernel_t, for the current device. If
 * necessary, its module is loaded there. */
cudaError_t wjrt_function(const void *key, struct wjrt_function **out);
cudaError_t wjrt_variable(const void *host, struct wjrt_variable **out);
/* Makes a module that the program loads itself (library.c) from a fat binary or PTX,
 * which is copied. */
cudaError_t wjrt_image_new(const void *bytes, size_t size, struct wjrt_image **out);
void wjrt_image_unload(struct wjrt_image *image); /* its kernels are invalid then */
cudaError_t wjrt_image_kernel(struct wjrt_image *image, const char *name,
                              struct wjrt_function **out);
cudaError_t wjrt_image_variable(struct wjrt_image *image, const char *name,
                                uint64_t *address, uint64_t *bytes);

void wjrt_forget_device(void); /* cudaDeviceReset: everything must be resolved again */

/* --- memory.c ----------------------------------------------------------------------- */

/* 0 bytes: NULL */
cudaError_t wjrt_device_alloc(void **pointer, size_t bytes, uint16_t device);

/* Is [p, p + bytes) pinned memory that the device sees at the same address? */
bool wjrt_is_pinned(const void *p, size_t bytes);
cudaError_t wjrt_shared_alloc(void **out, size_t bytes, uint32_t flags);

/* What a program said about managed memory (managed.c). */
struct wjrt_hints {
    int read_mostly, preferred, prefetched, accessed_by;
};
/* The hints about the managed memory that holds [p, p + bytes), or NULL. */
struct wjrt_hints *wjrt_managed_hints(const void *p, size_t bytes);

/* Maps memory at this address from the descriptor that came with a reply. The caller
 * still owns the descriptor. */
cudaError_t wjrt_shared_map(int fd, uint64_t address, uint64_t mapped_bytes, size_t bytes,
                            bool managed);

/* --- graph_memory.c ----------------------------------------------------------------- */

/* The same as wjrt_device_alloc for an allocation node, whose memory cudaFree must not
 * free. */
cudaError_t wjrt_graph_alloc(void **pointer, size_t bytes);
bool wjrt_is_graph_memory(const void *pointer);
void wjrt_forget_graph_memory(void); /* cudaDeviceReset */

/* --- copy.c, array_copy.c ----------------------------------------------------------- */

/* The context of wjrt_stream_sink: the stream for which work is meant. */
struct wjrt_target {
    cudaStream_t stream;
    bool wait;
};
wjrt_sink wjrt_stream_sink;

/* A copy of rows; all sizes are in bytes. */
struct wjrt_copy {
    char *to;
    size_t to_pitch;
    const char *from;
    size_t from_pitch, width, height;
};

cudaError_t wjrt_copy(const struct wjrt_copy *c, enum cudaMemcpyKind kind,
                      wjrt_sink *sink, void *context);
cudaError_t wjrt_copy_3d(const struct cudaMemcpy3DParms *p, wjrt_sink *sink,
                         void *context);

/* Rows of width elements of 1, 2 or 4 bytes. */
cudaError_t wjrt_fill(const struct cudaMemsetParams *p, wjrt_sink *sink, void *context);

/* --- function.c --------------------------------------------------------------------- */

/* How many blocks of f fit on one multiprocessor. */
int wjrt_resident_blocks(const struct wjrt_function *f, uint64_t threads,
                         uint64_t dynamic_shared);

/* --- cluster.c ---------------------------------------------------------------------- */

/* asked: blocks in each dimension, or 0 if the launch does not say. */
cudaError_t wjrt_check_cluster(const struct wjrt_function *f, const uint32_t asked[3],
                               dim3 grid);
void wjrt_asked_cluster(const cudaLaunchConfig_t *config, uint32_t asked[3]);

#endif
