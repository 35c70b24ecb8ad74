/* Kernel launches: checked here as far as NVIDIA's runtime checks at once, then sent. */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_LAUNCHES_MAX 16
#define GRID_X_MAX 0x7fffffffu
#define GRID_YZ_MAX 65535u
#define BLOCK_Z_MAX 64u

/* --- <<<grid, block, shared, stream>>> ---------------------------------------------- */

struct configuration {
    dim3 grid, block;
    size_t shared;
    void *stream;
};

/* A stack, because an argument of a launch may itself come from a launch. */
static _Thread_local struct {
    struct configuration entry[NESTED_LAUNCHES_MAX];
    int count;
} pending;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream);

/* With a result other than 0 nvcc's code skips the launch. */
unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (pending.count == NESTED_LAUNCHES_MAX)
        return (unsigned)wjrt_error(cudaErrorLaunchOutOfResources);
    pending.entry[pending.count++] = (struct configuration){grid, block, shared, stream};
    return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    const struct configuration *c;

    if (pending.count == 0)
        return wjrt_error(cudaErrorMissingConfiguration);
    c = &pending.entry[--pending.count];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(void **)stream = c->stream;
    return cudaSuccess;
}

/* --- the launch itself -------------------------------------------------------------- */

struct shape {
    dim3 grid, block;
    size_t shared;
    bool cooperative;
    uint32_t cluster[3]; /* 0: the launch does not say */
};

/* The kernel's name in its source if it is in no namespace and no template ("_Z3addPf"
 * is add), otherwise its mangled name. */
static void
plain_name(const struct wjrt_function *f, char *out, size_t size)
{
    const char *name = f->name;
    size_t len = strlen(name);

    if (strncmp(name, "_Z", 2) == 0 && name[2] >= '1' && name[2] <= '9') {
        char *end;
        unsigned long told = strtoul(name + 2, &end, 10);

        if (told <= strlen(end)) {
            name = end;
            len = told;
        }
    }
    snprintf(out, size, "%.*s", (int)(len < size ? len : size - 1), name);
}

static bool
fits_dynamic_shared(const struct wjrt_function *f, const struct shape *s,
                    const struct machine_properties *p)
{
    uint64_t fixed = f->kernel.static_shared;
    uint64_t allowed = f->max_dynamic_shared > 0 ? (uint64_t)f->max_dynamic_shared + fixed
                                                 : p->shared_per_block;

    if (s->shared == 0 || s->shared + fixed <= p->shared_per_block)
        return true;
    return s->shared <= p->shared_per_block_optin && s->shared + fixed <= allowed;
}

/* Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
 */
static cudaError_t
check_shape(const struct wjrt_function *f, const struct shape *s)
{
    const struct machine_properties *p = wjrt_properties();
    uint64_t threads = (uint64_t)s->block.x * s->block.y * s->block.z;
    uint64_t blocks = (uint64_t)s->grid.x * s->grid.y * s->grid.z;
    unsigned most = (unsigned)p->max_threads_per_block;
    char name[128];

    plain_name(f, name, sizeof name);
    if (blocks == 0 || s->grid.x > GRID_X_MAX || s->grid.y > GRID_YZ_MAX ||
        s->grid.z > GRID_YZ_MAX)
        return wjrt_explain(
            cudaErrorInvalidConfiguration,
            "kernel %s is launched with a grid of (%u,%u,%u) blocks; each "
            "must be at least 1 and at most (%u,%u,%u)%s",
            name, s->grid.x, s->grid.y, s->grid.z, GRID_X_MAX, GRID_YZ_MAX, GRID_YZ_MAX,
            blocks == 0 ? ": round the number of blocks up, (N + threads - 1) / threads"
                        : "");
    /* Too many threads are an invalid value, as CUDA 13.0 with driver 580 on an H200
     * says. */
    if (threads == 0 || s->block.x > most || s->block.y > most ||
        s->block.z > BLOCK_Z_MAX || threads > most)
        return wjrt_explain(threads == 0 ? cudaErrorInvalidConfiguration
                                         : cudaErrorInvalidValue,
                            "kernel %s is launched with blocks of (%u,%u,%u) threads; a "
                            "block has 1 to %u threads",
                            name, s->block.x, s->block.y, s->block.z, most);
    if (threads > f->kernel.max_threads)
        return wjrt_explain(cudaErrorLaunchOutOfResources,
                            "kernel %s is launched with blocks of %u threads; its "
                            "__launch_bounds__ promise at most %u",
                            name, (unsigned)threads, f->kernel.max_threads);
    if (!fits_dynamic_shared(f, s, p))
        return wjrt_explain(
            cudaErrorInvalidValue,
            "kernel %s is launched with %zu bytes of dynamic shared memory and has %u of "
            "its "
            "own; more than %zu, and at most %zu, need cudaFuncSetAttribute(kernel, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before",
            name, s->shared, f->kernel.static_shared, (size_t)p->shared_per_block,
            (size_t)p->shared_per_block_optin);
    if (s->cooperative && blocks > (uint64_t)wjrt_resident_blocks(f, threads, s->shared) *
                                       (unsigned)p->multiprocessors)
        return wjrt_explain(
            cudaErrorCooperativeLaunchTooLarge,
            "the cooperative launch of kernel %s has %llu blocks; only %llu "
            "fit on the device at once",
            name, (unsigned long long)blocks,
            (unsigned long long)wjrt_resident_blocks(f, threads, s->shared) *
                (unsigned)p->multiprocessors);
    return cudaSuccess;
}

static cudaError_t
launch_into(const void *key, const struct shape *s, void **args, wjrt_sink *sink,
            void *context)
{
    unsigned char block[GPU_INLINE_MAX];
    struct wjrt_op op = {.request = {.op = GPU_LAUNCH}, .text = block};
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(key, &f);

    if (e != cudaSuccess)
        return e;
    e = check_shape(f, s);
    if (e == cudaSuccess)
        e = wjrt_check_cluster(f, s->cluster, s->grid);
    if (e != cudaSuccess)
        return e;
    if (args == NULL && f->kernel.param_count > 0)
        return cudaErrorInvalidValue;
    memset(block, 0, f->kernel.param_bytes);
    for (uint32_t i = 0; i < f->kernel.param_count; i++)
        memcpy(block + f->param[i].offset, args[i], f->param[i].size);
    op.request.device = wjrt_device();
    op.request.id = f->id[op.request.device];
    op.request.inline_bytes = f->kernel.param_bytes;
    op.request.flags = s->cooperative ? GPU_COOPERATIVE : 0;
    op.request.launch.grid[0] = s->grid.x;
    op.request.launch.grid[1] = s->grid.y;
    op.request.launch.grid[2] = s->grid.z;
    op.request.launch.block[0] = s->block.x;
    op.request.launch.block[1] = s->block.y;
    op.request.launch.block[2] = s->block.z;
    memcpy(op.request.launch.cluster, s->cluster, sizeof s->cluster);
    op.request.launch.dynamic_shared = (uint32_t)s->shared;
    op.kernel = key;
    return sink(context, &op);
}

static cudaError_t
launch_kernel(const void *key, const struct shape *shape, void **args,
              cudaStream_t stream)
{
    struct wjrt_target target = {stream, false};
    const struct CUstream_st *s = wjrt_stream(stream);

    if (s != NULL && wjrt_stream_device(s) != wjrt_device())
        return wjrt_explain(cudaErrorInvalidResourceHandle,
                            "a kernel is launched while device %d is the current one, in "
                            "a stream of device %d",
                            wjrt_device(), wjrt_stream_device(s));
    return launch_into(key, shape, args, wjrt_stream_sink, &target);
}

cudaError_t
wjrt_kernel(const struct cudaKernelNodeParams *p, bool cooperative, wjrt_sink *sink,
            void *context)
{
    struct shape s = {.grid = p->gridDim,
                      .block = p->blockDim,
                      .shared = p->sharedMemBytes,
                      .cooperative = cooperative};

    return launch_into(p->func, &s, p->kernelParams, sink, context);
}

cudaError_t
cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                 cudaStream_t stream)
{
    struct shape s = {grid, block, shared, false, {0}};

    return wjrt_error(launch_kernel(kernel, &s, args, stream));
}
WJRT_PTSZ(cudaLaunchKernel);

cudaError_t
__cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                   cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
WJRT_PTSZ(__cudaLaunchKernel);

cudaError_t
cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **args,
                            size_t shared, cudaStream_t stream)
{
    struct shape s = {grid, block, shared, true, {0}};

    return wjrt_error(launch_kernel(kernel, &s, args, stream));
}
WJRT_PTSZ(cudaLaunchCooperativeKernel);

/* Reads the attributes that matter. Others only change how fast a kernel is. */
static void
read_attributes(const cudaLaunchConfig_t *config, struct shape *s)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeCooperative)
            s->cooperative = config->attrs[i].val.cooperative != 0;
    wjrt_asked_cluster(config, s->cluster);
}

cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **args)
{
    struct shape s;

    if (config == NULL || (config->numAttrs > 0 && config->attrs == NULL))
        return wjrt_error(cudaErrorInvalidValue);
    s = (struct shape){
        config->gridDim, config->blockDim, config->dynamicSmemBytes, false, {0}};
    read_attributes(config, &s);
    return wjrt_error(launch_kernel(kernel, &s, args, config->stream));
}
WJRT_PTSZ(cudaLaunchKernelExC);
