/* Attributes of kernels, and how many of their blocks fit. */
#include "runtime.h"

#include <string.h>

/* Limits of compute capability 8.0 (CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"). The granularities are from the occupancy
 * calculator. */
#define REGISTERS_PER_SM 65536u
#define REGISTERS_PER_THREAD_MAX 255u
#define BLOCKS_PER_SM_MAX 32u
#define REGISTER_UNIT 256u /* a warp gets its registers in multiples of this */
#define SHARED_UNIT 128u
#define SHARED_RESERVED 1024u /* for each block, by the system */
#define WARP 32u

int
wjrt_resident_blocks(const struct wjrt_function *f, uint64_t threads,
                     uint64_t dynamic_shared)
{
    const struct machine_properties *p = wjrt_properties();
    uint64_t warps = (threads + WARP - 1) / WARP, blocks = BLOCKS_PER_SM_MAX, fit;
    uint64_t registers = f->kernel.registers;
    uint64_t shared = f->kernel.static_shared + dynamic_shared + SHARED_RESERVED;

    if (threads == 0 || threads > (uint64_t)p->max_threads_per_block ||
        threads > f->kernel.max_threads ||
        shared - SHARED_RESERVED > p->shared_per_block_optin)
        return 0;
    fit = (uint64_t)p->max_threads_per_sm / (warps * WARP);
    blocks = fit < blocks ? fit : blocks;
    if (registers > REGISTERS_PER_THREAD_MAX)
        registers = REGISTERS_PER_THREAD_MAX;
    registers = (registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    fit = registers != 0 ? REGISTERS_PER_SM / (registers * warps) : blocks;
    if (fit ==
        0) /* our count of registers is an estimate, so we never refuse a single block */
        fit = 1;
    blocks = fit < blocks ? fit : blocks;
    shared = (shared + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    fit = p->shared_per_sm / shared;
    return (int)(fit < blocks ? fit : blocks);
}

/* For these calls a wrong kernel is an invalid handle (CUDA 13.0), not an invalid
 * function. */
static cudaError_t
kernel_handle(const void *kernel, struct wjrt_function **f)
{
    cudaError_t e = wjrt_function(kernel, f);

    return e == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidResourceHandle : e;
}

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    struct wjrt_function *f;
    cudaError_t e = kernel_handle(kernel, &f);
    const struct machine_properties *p = wjrt_properties();

    if (e == cudaSuccess && attributes == NULL)
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = f->kernel.static_shared;
    attributes->maxThreadsPerBlock = (int)f->kernel.max_threads;
    attributes->numRegs =
        (int)(f->kernel.registers < REGISTERS_PER_THREAD_MAX ? f->kernel.registers
                                                             : REGISTERS_PER_THREAD_MAX);
    /* CUB picks what it launches by it, so it is the PTX's and not the device's. */
    attributes->ptxVersion = (int)f->kernel.target;
    attributes->binaryVersion = p->major * 10 + p->minor;
    attributes->maxDynamicSharedSizeBytes =
        f->max_dynamic_shared > 0 ? f->max_dynamic_shared
                                  : (int)(p->shared_per_block - f->kernel.static_shared);
    attributes->preferredShmemCarveout = f->carveout;
    return cudaSuccess;
}

cudaError_t
cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    struct wjrt_function *f;
    cudaError_t e = kernel_handle(kernel, &f);

    if (e != cudaSuccess)
        return wjrt_error(e);
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint64_t)value + f->kernel.static_shared >
                             wjrt_properties()->shared_per_block_optin)
            return wjrt_error(cudaErrorInvalidValue);
        f->max_dynamic_shared = value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return wjrt_error(cudaErrorInvalidValue);
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return wjrt_error(cudaErrorNotSupported);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->large_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: /* a hint */
        return cudaSuccess;
    case cudaFuncAttributeMax:
        break;
    }
    return wjrt_error(cudaErrorInvalidValue);
}

/* How cache and shared memory share their space is only a hint. */
cudaError_t
cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache config)
{
    struct wjrt_function *f;

    if ((unsigned)config > cudaFuncCachePreferEqual)
        return wjrt_error(cudaErrorInvalidValue);
    return wjrt_error(wjrt_function(kernel, &f));
}

cudaError_t
cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig config)
{
    struct wjrt_function *f;

    if ((unsigned)config > cudaSharedMemBankSizeEightByte)
        return wjrt_error(cudaErrorInvalidValue);
    return wjrt_error(wjrt_function(kernel, &f));
}

cudaError_t
cudaFuncGetName(const char **name, const void *kernel)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(kernel, &f);

    if (e == cudaSuccess && name == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *name = f->name;
    return wjrt_error(e);
}

cudaError_t
cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *size)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(kernel, &f);

    if (e == cudaSuccess && (offset == NULL || index >= f->kernel.param_count))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    *offset = f->param[index].offset;
    if (size != NULL)
        *size = f->param[index].size;
    return cudaSuccess;
}

/* --- occupancy ---------------------------------------------------------------------- */

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                       int threads, size_t dynamic_shared,
                                                       unsigned int flags)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(kernel, &f);

    if (e == cudaSuccess &&
        (blocks == NULL || threads <= 0 || flags > cudaOccupancyDisableCachingOverride))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *blocks = wjrt_resident_blocks(f, (uint64_t)threads, dynamic_shared);
    return wjrt_error(e);
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                              int threads, size_t dynamic_shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, threads,
                                                                  dynamic_shared, 0);
}

cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                          int threads)
{
    struct wjrt_function *f;
    cudaError_t e = wjrt_function(kernel, &f);
    const struct machine_properties *p = wjrt_properties();
    uint64_t share, taken;

    if (e == cudaSuccess && (bytes == NULL || blocks <= 0 || threads <= 0 ||
                             wjrt_resident_blocks(f, (uint64_t)threads, 0) < blocks))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    share = p->shared_per_sm / (unsigned)blocks / SHARED_UNIT * SHARED_UNIT;
    taken = f->kernel.static_shared + SHARED_RESERVED;
    share = share > taken ? share - taken : 0;
    taken = p->shared_per_block_optin - f->kernel.static_shared;
    *bytes = share < taken ? share : taken;
    return cudaSuccess;
}
