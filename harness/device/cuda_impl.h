/* Private to cuda.c and its parts, cuda_memory.c, cuda_kernels.c, cuda_hold.c and
 * cuda_card.c: a card that is open, and what each part gives to the others. */
#ifndef DEVICE_CUDA_IMPL_H
#define DEVICE_CUDA_IMPL_H

#include "device/device_ops.h"
#include "device/gpu_nodes.h"
#include "device/libcuda.h"

#define BLOCKS_PER_SM 16 /* of a launch at most: struct cuda's grid_max */

struct cuda {
    struct device base; /* must be first */
    const struct libcuda *cu;
    cu_device device;
    cu_context context;
    cu_module module;
    cu_stream stream;
    cu_function fill, poison, compare, flush, hold;
    struct hold_words *words; /* see cuda_hold.c; mapped */
    cu_pointer words_address;
    int32_t holds; /* so far */
    bool queues;   /* from cuda_queue to cuda_hold: nothing is waited for */
    cu_event copies_begin, copies_end; /* of what cuda_copy_queue has queued */
    bool copies_queued;
    cu_pointer result;       /* one struct compare_result */
    cu_pointer flush_buffer; /* 0 until the first flush */
    uint64_t flush_bytes, l2_bytes;
    unsigned grid_max;
    size_t granularity;
    bool can_persist; /* lines of the L2 can be set aside, and so must be reset */
    bool can_forbid;  /* how many can be limited: not under MPS, nor on parts of a card */
    struct cu_allocation prop;
    char id[64];   /* the card's UUID */
    char *visible; /* environment of a runner */
    struct gpu_nodes nodes;
    int keeper;                /* device_set_keeper; -1: nobody */
    struct patience *patience; /* NULL until there is one */
    bool kept, kept_told;      /* it was ended; and a wait has failed for that */
    struct nvml *nvml; /* NULL until it is asked something, and where there is none */
};

struct cuda_buffer {
    struct device_buffer base; /* must be first */
    cu_pointer address;
    uint64_t mapped;  /* bytes allocated */
    cu_handle handle; /* shareable only */
};

static inline struct cuda *
of(struct device *d)
{
    return (struct cuda *)d;
}

static inline struct cuda_buffer *
buffer_of(struct device_buffer *b)
{
    return (struct cuda_buffer *)b;
}

static inline cu_pointer
address_of(const struct device_buffer *b)
{
    return ((const struct cuda_buffer *)b)->address;
}

static inline int
check(struct cuda *c, cu_result rc, const char *what, struct report *r)
{
    return libcuda_check(c->cu, rc, what, r);
}

/* cuda_keeper.c. Each wait for the card is between these two, the second of which is
 * given what the wait returns: -1 also where the keeper was ended meanwhile, once. */
void cuda_begin_wait(struct cuda *c);
int cuda_end_wait(struct cuda *c, int rc, const char *what, struct report *r);

/* check() of a call of the driver's that may wait for the card. */
#define check_wait(c, call, what, r)                                                     \
    (cuda_begin_wait(c), cuda_end_wait(c, check(c, (call), what, r), what, r))

int wait_stream(struct cuda *c, const char *what, struct report *r);
int cuda_set_keeper(struct device *d, int pidfd, uint64_t limit_ms, struct report *r);
int cuda_fault(struct device *d, struct fault *out, struct report *r);

/* The end of a function whose work may stay queued. */
static inline int
finish(struct cuda *c, const char *what, struct report *r)
{
    return c->queues ? 0 : wait_stream(c, what, r);
}

/* Those that take a struct device are what struct device_ops asks for (device_ops.h).
 * Each has waited for its work when it returns, but for cuda_copy_queue and for what
 * comes between cuda_queue and cuda_hold. */

/* cuda_memory.c */
int cuda_alloc(struct device *d, uint64_t bytes, bool shareable,
               struct device_buffer **out, struct report *r);
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

/* cuda_kernels.c; the first fills module and the functions of it. */
int cuda_load_kernels(struct cuda *c, struct report *r);
int cuda_fill(struct device *d, struct device_buffer *b, const struct gen *g,
              uint64_t seed, uint64_t count, struct report *r);
int cuda_poison(struct device *d, struct device_buffer *b, uint64_t seed,
                struct report *r);
int cuda_compare(struct device *d, const struct device_buffer *got,
                 const struct device_buffer *want, uint64_t count,
                 const struct compare_rule *rule, struct compare_result *out,
                 struct report *r);
/* What a flush needs that the card does not do in its turn. */
int cuda_prepare_flush(struct cuda *c, struct report *r);
int cuda_flush(struct device *d, struct report *r);

/* cuda_hold.c; the first fills words and words_address. */
int cuda_alloc_words(struct cuda *c, struct report *r);
int cuda_queue(struct device *d, struct report *r);
int cuda_hold(struct device *d, double ns, struct report *r);
int cuda_await_hold(struct device *d, struct report *r);
int cuda_let_go(struct device *d, struct report *r);

/* cuda_card.c; the first makes no context. */
int cuda_describe(const struct libcuda *cu, int ordinal, struct device_info *out,
                  struct report *r);
int cuda_rates(struct device *d, struct device_rates *out, struct report *r);
int cuda_health(struct device *d, struct report *r);
int cuda_free_bytes(struct device *d, uint64_t *out, struct report *r);
double cuda_bus_bytes(struct device *d);

#endif
