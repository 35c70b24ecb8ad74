/*
 * Memory pools. All streams are one queue, so an allocation in stream order is an
 * ordinary one. A pool only keeps its attributes.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#define POOL_MAGIC 0x77706f6cu

struct CUmemPoolHandle_st {
    uint32_t magic;
    uint64_t release_threshold;
    int reuse[3]; /* the cudaMemPoolReuse... switches, which have no effect */
};

static struct CUmemPoolHandle_st default_pool = {
    .magic = POOL_MAGIC,
    .reuse = {1, 1, 1},
};
static struct CUmemPoolHandle_st *current = &default_pool;

static bool
is_pool(const struct CUmemPoolHandle_st *pool)
{
    return pool != NULL && pool->magic == POOL_MAGIC;
}

static cudaError_t
pool_give(cudaMemPool_t *out, struct CUmemPoolHandle_st *pool, int device)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && !wjrt_is_device(device))
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess && out == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *out = pool;
    return wjrt_error(e);
}

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    return pool_give(pool, &default_pool, device);
}

cudaError_t
cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return pool_give(pool, current, device);
}

cudaError_t
cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && !wjrt_is_device(device))
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess && !is_pool(pool))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    current = pool;
    return cudaSuccess;
}

cudaError_t
cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    struct CUmemPoolHandle_st *made;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (pool == NULL || properties == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (properties->handleTypes != cudaMemHandleTypeNone)
        return wjrt_error(cudaErrorNotSupported);
    made = malloc(sizeof *made);
    if (made == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *made = (struct CUmemPoolHandle_st){.magic = POOL_MAGIC, .reuse = {1, 1, 1}};
    *pool = made;
    return cudaSuccess;
}

cudaError_t
cudaMemPoolDestroy(cudaMemPool_t pool)
{
    if (!is_pool(pool) || pool == &default_pool)
        return wjrt_error(cudaErrorInvalidValue);
    if (current == pool)
        current = &default_pool;
    pool->magic = 0;
    free(pool);
    return cudaSuccess;
}

cudaError_t
cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes)
{
    (void)keep_bytes; /* a pool never keeps free memory back */
    return wjrt_error(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/* The switch that an attribute names, or NULL. */
static int *
pool_switch(struct CUmemPoolHandle_st *pool, enum cudaMemPoolAttr attribute)
{
    switch ((int)attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
        return &pool->reuse[0];
    case cudaMemPoolReuseAllowOpportunistic:
        return &pool->reuse[1];
    case cudaMemPoolReuseAllowInternalDependencies:
        return &pool->reuse[2];
    default:
        return NULL;
    }
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    if (!is_pool(pool) || value == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold)
        memcpy(&pool->release_threshold, value, sizeof pool->release_threshold);
    else if (pool_switch(pool, attribute) != NULL)
        memcpy(pool_switch(pool, attribute), value, sizeof(int));
    else /* the peak values, which can only be set to 0 */
        return wjrt_error(*(const uint64_t *)value == 0 ? cudaSuccess
                                                        : cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    size_t free_bytes, total;
    uint64_t used;
    cudaError_t e;

    if (!is_pool(pool) || value == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        memcpy(value, &pool->release_threshold, sizeof pool->release_threshold);
        return cudaSuccess;
    }
    if (pool_switch(pool, attribute) != NULL) {
        memcpy(value, pool_switch(pool, attribute), sizeof(int));
        return cudaSuccess;
    }
    e = cudaMemGetInfo(&free_bytes, &total);
    used = total - free_bytes;
    if (e == cudaSuccess)
        memcpy(value, &used, sizeof used);
    return e;
}

cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *descriptions,
                     size_t count)
{
    if (!is_pool(pool) || (descriptions == NULL && count > 0))
        return wjrt_error(cudaErrorInvalidValue);
    return cudaSuccess; /* there is no other device to which access could be given */
}

cudaError_t
cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                        cudaStream_t stream)
{
    if (!is_pool(pool))
        return wjrt_error(cudaErrorInvalidValue);
    return cudaMallocAsync(pointer, bytes, stream);
}
WJRT_PTSZ(cudaMallocFromPoolAsync);

cudaError_t
cudaMemPoolGetAccess(enum cudaMemAccessFlags *access, cudaMemPool_t pool,
                     struct cudaMemLocation *location)
{
    if (access == NULL || !is_pool(pool) || location == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *access = location->type == cudaMemLocationTypeDevice && location->id == 0
                  ? cudaMemAccessFlagsProtReadWrite
                  : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

/* Checks the place of a pool: only the device has one. */
static cudaError_t
check_place(const struct cudaMemLocation *location, enum cudaMemAllocationType type)
{
    if (location == NULL)
        return cudaErrorInvalidValue;
    if (location->type != cudaMemLocationTypeDevice ||
        type != cudaMemAllocationTypePinned)
        return cudaErrorNotSupported;
    return location->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                         enum cudaMemAllocationType type)
{
    cudaError_t e = check_place(location, type);

    return e == cudaSuccess ? pool_give(pool, &default_pool, 0) : wjrt_error(e);
}

cudaError_t
cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                  enum cudaMemAllocationType type)
{
    cudaError_t e = check_place(location, type);

    return e == cudaSuccess ? pool_give(pool, current, 0) : wjrt_error(e);
}

cudaError_t
cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                  cudaMemPool_t pool)
{
    cudaError_t e = check_place(location, type);

    return e == cudaSuccess ? cudaDeviceSetMemPool(0, pool) : wjrt_error(e);
}
