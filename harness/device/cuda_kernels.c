/* Loads the arbiter's own kernels (kernels.cu) on a GPU, and launches those that fill,
 * poison, compare and flush. The one that holds the GPU belongs to cuda_hold.c. */
#include "device/cuda_gpu.h"

#define THREADS 256

/* kernels.cu as PTX, NUL-terminated (mk/programs.mk). */
extern const char _binary_device_kernels_start[];

int
cuda_load_kernels(struct cuda *c, struct report *r)
{
    const struct {
        cu_function *out;
        const char *name;
    } kernels[] = {
        {&c->fill, "warpjudge_fill"},       {&c->poison, "warpjudge_poison"},
        {&c->compare, "warpjudge_compare"}, {&c->flush, "warpjudge_flush"},
        {&c->hold, "warpjudge_hold"},
    };

    if (cuda_check(c, c->cu->module_load(&c->module, _binary_device_kernels_start),
                   "the judge's kernels", r) != 0)
        return -1;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (cuda_check(c,
                       c->cu->module_function(kernels[i].out, c->module, kernels[i].name),
                       kernels[i].name, r) != 0)
            return -1;
    }
    return 0;
}

/* Launches a kernel for `items` independent pieces of work. The kernels' loops take any
 * grid. */
static int
launch_kernel(struct cuda *c, cu_function f, const char *name, uint64_t items,
              void **params, struct report *r)
{
    uint64_t blocks = (items + THREADS - 1) / THREADS;
    unsigned grid = blocks < c->grid_max ? (unsigned)blocks : c->grid_max;

    if (grid == 0)
        return 0;
    if (cuda_check(
            c, c->cu->launch(f, grid, 1, 1, THREADS, 1, 1, 0, c->stream, params, NULL),
            name, r) != 0)
        return -1;
    return cuda_finish(c, name, r);
}

int
cuda_fill(struct device *d, struct device_buffer *b, const struct gen *g, uint64_t seed,
          uint64_t count, struct report *r)
{
    struct cuda *c = cuda_of(d);
    struct gen gen = *g;
    cu_pointer address = cuda_address_of(b);
    void *params[] = {&gen, &seed, &count, &address};

    return launch_kernel(c, c->fill, "the fill kernel", (count + 3) / 4, params, r);
}

int
cuda_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    struct cuda *c = cuda_of(d);
    cu_pointer address = cuda_address_of(b);
    uint64_t blocks = cuda_buffer_of(b)->mapped / 16; /* mapped is a multiple of 256 */
    void *params[] = {&seed, &blocks, &address};

    return launch_kernel(c, c->poison, "the poison kernel", blocks, params, r);
}

int
cuda_compare(struct device *d, const struct device_buffer *got,
             const struct device_buffer *want, uint64_t count,
             const struct compare_rule *rule, struct compare_result *out,
             struct report *r)
{
    struct cuda *c = cuda_of(d);
    struct compare_rule copy = *rule;
    struct compare_result result = {.first = UINT64_MAX};
    cu_pointer got_address = cuda_address_of(got), want_address = cuda_address_of(want);
    void *params[] = {&copy, &got_address, &want_address, &count, &c->result};

    if (cuda_check_wait(c, c->cu->copy_in(c->result, &result, sizeof result, c->stream),
                        "cuMemcpyHtoDAsync", r) != 0 ||
        launch_kernel(c, c->compare, "the compare kernel", count, params, r) != 0 ||
        cuda_check_wait(c, c->cu->copy_out(&result, c->result, sizeof result, c->stream),
                        "cuMemcpyDtoHAsync", r) != 0 ||
        cuda_wait_stream(c, "cuMemcpyDtoHAsync", r) != 0)
        return -1;
    *out = result;
    return 0;
}

/* Forbids lines to stay in the cache, because an earlier call of the submission may
 * have asked for that. Afterwards a flush reaches the whole cache. */
static int
forbid_persisting(struct cuda *c, struct report *r)
{
    if (!c->can_persist)
        return 0;
    if (c->can_forbid &&
        cuda_check_wait(c, c->cu->set_limit(CU_LIMIT_PERSISTING_L2_BYTES, 0),
                        "cuCtxSetLimit", r) != 0)
        return -1;
    return cuda_check_wait(c, c->cu->reset_persisting(), "cuCtxResetPersistingL2Cache",
                           r);
}

int
cuda_prepare_flush(struct cuda *c, struct report *r)
{
    cu_pointer address;

    if (c->flush_buffer == 0) {
        if (cuda_check(c, c->cu->alloc(&address, c->flush_bytes), "cuMemAlloc", r) != 0) {
            c->base.refused_bytes = c->flush_bytes;
            return -1;
        }
        c->flush_buffer = address;
    }
    return forbid_persisting(c, r);
}

int
cuda_flush(struct device *d, struct report *r)
{
    struct cuda *c = cuda_of(d);
    uint64_t words = c->flush_bytes / 16;
    void *params[] = {&words, &c->flush_buffer};

    if (!c->queues && cuda_prepare_flush(c, r) != 0)
        return -1;
    return launch_kernel(c, c->flush, "the flush kernel", words, params, r);
}
