/* An open GPU, and the functions of the files cuda*.c. cuda.c opens it; cuda_memory.c,
 * cuda_kernels.c, cuda_hold.c, cuda_keeper.c and cuda_properties.c are its parts. */
#ifndef DEVICE_CUDA_GPU_H
#define DEVICE_CUDA_GPU_H

#include "device/device_ops.h"
#include "device/gpu_nodes.h"
#include "device/libcuda.h"

#define BLOCKS_PER_SM 16 /* blocks of a launch for each multiprocessor: see grid_max */

struct cuda {
    struct device base; /* must be first */
    const struct libcuda *cu;
    cu_device device;
    cu_context context;
    cu_module module;
    cu_stream stream;
    cu_function fill, poison, compare, flush, hold;
    struct hold_words *words; /* mapped host memory; see cuda_hold.c */
    cu_pointer words_address;
    int32_t holds; /* how many there were */
    bool queues; /* true from cuda_queue to cuda_hold: calls do not wait for their work */
    cu_event copies_begin, copies_end; /* the begin and the end of the copies that
                                          cuda_copy_queue has queued */
    bool copies_queued;
    cu_pointer result;       /* one struct compare_result */
    cu_pointer flush_buffer; /* 0 until the first flush */
    uint64_t flush_bytes, l2_bytes;
    unsigned grid_max;
    size_t granularity;
    bool can_persist; /* lines of the L2 can be set aside, so a flush must reset that */
    bool can_forbid;  /* their number can be limited, which MPS and MIG refuse */
    struct cu_allocation prop;
    char id[64];   /* the GPU's UUID */
    char *visible; /* environment variable of a runner */
    struct gpu_nodes nodes;
    int keeper;                /* device_set_keeper; -1: no process */
    struct watchdog *watchdog; /* NULL until there is one */
    bool kept, kept_told; /* the keeper was ended; and a wait has failed because of it */
    bool was_reset;       /* it has served a judgement before (device_reset) */
    struct nvml *nvml;    /* NULL until it is needed, and if there is none */
};

struct cuda_buffer {
    struct device_buffer base; /* must be first */
    cu_pointer address;
    uint64_t mapped;  /* bytes allocated */
    cu_handle handle; /* shareable buffers only */
};

static inline struct cuda *
cuda_of(struct device *d)
{
    return (struct cuda *)d;
}

static inline struct cuda_buffer *
cuda_buffer_of(struct device_buffer *b)
{
    return (struct cuda_buffer *)b;
}

static inline cu_pointer
cuda_address_of(const struct device_buffer *b)
{
    return ((const struct cuda_buffer *)b)->address;
}

static inline int
cuda_check(struct cuda *c, cu_result rc, const char *what, struct report *r)
{
    return libcuda_check(c->cu, rc, what, r);
}

/* cuda_keeper.c. These enclose each wait for the GPU. cuda_end_wait gets what the wait
 * returned. It returns that, or -1, once, if the keeper was ended meanwhile. */
void cuda_begin_wait(struct cuda *c);
int cuda_end_wait(struct cuda *c, int rc, const char *what, struct report *r);

/* Checks a call of the driver that may wait for the GPU. */
#define cuda_check_wait(c, call, what, r)                                                \
    (cuda_begin_wait(c), cuda_end_wait(c, cuda_check(c, (call), what, r), what, r))

int cuda_wait_stream(struct cuda *c, const char *what, struct report *r);
int cuda_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r);
int cuda_fault(struct device *d, struct fault *out, struct report *r);

/* Ends a function whose work may stay queued. */
static inline int
cuda_finish(struct cuda *c, const char *what, struct report *r)
{
    return c->queues ? 0 : cuda_wait_stream(c, what, r);
}

/* The functions that take a struct device implement struct device_ops. Each waits for
 * its work before it returns, except cuda_copy_queue, and except all calls from
 * cuda_queue to cuda_hold. */

/* cuda_memory.c */
int cuda_alloc(struct device *d, uint64_t bytes, bool shareable,
               struct device_buffer **out, struct report *r);
bool cuda_resize(struct device_buffer *base, uint64_t bytes);
void cuda_free(struct device *d, struct device_buffer *base);
int cuda_share(struct device *d, struct device_buffer *base, struct device_share *out,
               struct report *r);
int cuda_zero(struct device *d, struct device_buffer *b, struct report *r);
int cuda_copy_queue(struct device *d, struct device_buffer *to,
                    const struct device_buffer *from, struct report *r);
int cuda_wait(struct device *d, double *ns, struct report *r);
int cuda_copy(struct device *d, struct device_buffer *to,
              const struct device_buffer *from, struct report *r);
int cuda_read(struct device *d, const struct device_buffer *b, uint64_t offset,
              uint64_t bytes, void *host, struct report *r);
int cuda_write(struct device *d, struct device_buffer *b, uint64_t offset, uint64_t bytes,
               const void *host, struct report *r);

/* cuda_kernels.c. The first call sets c->module and its functions. */
int cuda_load_kernels(struct cuda *c, struct report *r);
int cuda_fill(struct device *d, struct device_buffer *b, const struct gen *g,
              uint64_t seed, uint64_t count, struct report *r);
int cuda_poison(struct device *d, struct device_buffer *b, uint64_t seed,
                struct report *r);
int cuda_compare(struct device *d, const struct device_buffer *got,
                 const struct device_buffer *want, uint64_t count,
                 const struct compare_rule *rule, struct compare_result *out,
                 struct report *r);
/* Does those parts of a flush that the GPU does not do in the order of the stream. */
int cuda_prepare_flush(struct cuda *c, struct report *r);
int cuda_flush(struct device *d, struct report *r);

/* cuda_hold.c. The first call sets words and words_address. */
int cuda_alloc_words(struct cuda *c, struct report *r);
int cuda_queue(struct device *d, struct report *r);
int cuda_hold(struct device *d, double ns, struct report *r);
int cuda_await_hold(struct device *d, struct report *r);
int cuda_let_go(struct device *d, struct report *r);

/* cuda_properties.c. The first call makes no context. */
int cuda_describe(const struct libcuda *cu, int ordinal, struct device_info *out,
                  struct report *r);
int cuda_rates(struct device *d, bool awake, struct device_rates *out, struct report *r);
int cuda_health(struct device *d, struct report *r);
int cuda_free_bytes(struct device *d, uint64_t *out, struct report *r);
double cuda_bus_bytes(struct device *d);

#endif
