/*
 * Clusters of blocks: what a launch may ask for, and how many clusters fit. Sizes up to
 * 8 work on every GPU that has clusters. For sizes up to 16 a kernel needs an attribute
 * (CUDA C++ Programming Guide, "Thread Block Clusters").
 */
#include "runtime.h"

#define CLUSTER_PORTABLE 8u
#define CLUSTER_MAX 16u

/* The cluster that the launch asks for, else the one for which the kernel was compiled.
 */
static void
cluster_choose(const struct wjrt_function *f, const uint32_t asked[3], uint32_t size[3])
{
    for (int i = 0; i < 3; i++)
        size[i] = asked[i] != 0               ? asked[i]
                  : f->kernel.cluster[i] != 0 ? f->kernel.cluster[i]
                                              : 1;
}

cudaError_t
wjrt_check_cluster(const struct wjrt_function *f, const uint32_t asked[3], dim3 grid)
{
    const uint32_t blocks[3] = {grid.x, grid.y, grid.z};
    uint32_t size[3], most = f->large_clusters ? CLUSTER_MAX : CLUSTER_PORTABLE;
    uint64_t all;

    cluster_choose(f, asked, size);
    all = (uint64_t)size[0] * size[1] * size[2];
    if (size[0] > most || size[1] > most || size[2] > most || all > most)
        return wjrt_explain(
            cudaErrorInvalidClusterSize,
            "a launch asks for clusters of (%u,%u,%u) blocks; a cluster of "
            "this kernel has at most %u%s",
            size[0], size[1], size[2], most,
            f->large_clusters ? ""
                              : ", or 16 after cudaFuncSetAttribute(kernel, "
                                "cudaFuncAttributeNonPortableCluster"
                                "SizeAllowed, 1)");
    for (int i = 0; i < 3; i++) {
        if (f->kernel.cluster[i] != 0 && size[i] != f->kernel.cluster[i])
            return wjrt_explain(cudaErrorInvalidClusterSize,
                                "a launch asks for clusters of another size than the "
                                "kernel's __cluster_dims__");
        if (blocks[i] % size[i] != 0)
            return wjrt_explain(
                cudaErrorInvalidClusterSize,
                "a grid of (%u,%u,%u) blocks is not made of whole clusters "
                "of (%u,%u,%u)",
                grid.x, grid.y, grid.z, size[0], size[1], size[2]);
    }
    return cudaSuccess;
}

void
wjrt_asked_cluster(const cudaLaunchConfig_t *config, uint32_t asked[3])
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];

        if (a->id != cudaLaunchAttributeClusterDimension)
            continue;
        asked[0] = a->val.clusterDim.x;
        asked[1] = a->val.clusterDim.y;
        asked[2] = a->val.clusterDim.z;
    }
}

static cudaError_t
read_config(const void *kernel, const cudaLaunchConfig_t *config, const int *result,
            struct wjrt_function **f)
{
    if (config == NULL || result == NULL ||
        (config->numAttrs > 0 && config->attrs == NULL))
        return cudaErrorInvalidValue;
    return wjrt_function(kernel, f);
}

static uint64_t
cluster_resident(const struct wjrt_function *f, const cudaLaunchConfig_t *config)
{
    uint64_t threads =
        (uint64_t)config->blockDim.x * config->blockDim.y * config->blockDim.z;

    return (uint64_t)wjrt_resident_blocks(f, threads, config->dynamicSmemBytes);
}

cudaError_t
cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel,
                               const cudaLaunchConfig_t *config)
{
    struct wjrt_function *f;
    cudaError_t e = read_config(kernel, config, clusters, &f);
    uint32_t asked[3] = {0, 0, 0}, size[3];

    if (e != cudaSuccess)
        return wjrt_error(e);
    wjrt_asked_cluster(config, asked);
    e = wjrt_check_cluster(f, asked, config->gridDim);
    if (e != cudaSuccess)
        return wjrt_error(e);
    cluster_choose(f, asked, size);
    *clusters =
        (int)(cluster_resident(f, config) * (unsigned)wjrt_properties()->multiprocessors /
              (size[0] * size[1] * size[2]));
    return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *size, const void *kernel,
                                     const cudaLaunchConfig_t *config)
{
    struct wjrt_function *f;
    cudaError_t e = read_config(kernel, config, size, &f);

    if (e != cudaSuccess)
        return wjrt_error(e);
    *size = cluster_resident(f, config) == 0 ? 0
            : f->large_clusters              ? (int)CLUSTER_MAX
                                             : (int)CLUSTER_PORTABLE;
    return cudaSuccess;
}
