/* The devices (one, or two of one kind) and their properties. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

#define REGISTERS_PER_SM 65536
#define CONST_BYTES 65536
#define STACK_BYTES 1024
#define PRINTF_BYTES 8650752u /* the value of an H200 */
#define HEAP_BYTES (8u << 20)

static _Thread_local uint16_t current;

uint16_t
wjrt_device(void)
{
    return current;
}

bool
wjrt_is_device(int device)
{
    return device >= 0 && device < wjrt_properties()->devices;
}

/* Returns cudaSuccess if there is a device with this number. */
static cudaError_t
check_device(int device)
{
    cudaError_t e = wjrt_connect();

    return e != cudaSuccess         ? e
           : wjrt_is_device(device) ? cudaSuccess
                                    : cudaErrorInvalidDevice;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    cudaError_t e = wjrt_connect();

    if (count == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *count = e == cudaSuccess ? wjrt_properties()->devices : 0;
    return wjrt_error(e);
}

cudaError_t
cudaGetDevice(int *device)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && device == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *device = current;
    return wjrt_error(e);
}

cudaError_t
cudaSetDevice(int device)
{
    cudaError_t e = check_device(device);

    if (e == cudaSuccess)
        current = (uint16_t)device;
    return wjrt_error(e);
}

cudaError_t
cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags;
    (void)flags;
    return wjrt_error(check_device(device));
}

cudaError_t
cudaSetDeviceFlags(unsigned int flags)
{
    (void)flags; /* they say how a host thread waits, which does not matter here */
    return wjrt_error(wjrt_connect());
}

cudaError_t
cudaGetDeviceFlags(unsigned int *flags)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && flags == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return wjrt_error(e);
}

cudaError_t
cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    return wanted != NULL ? cudaGetDevice(device) : wjrt_error(cudaErrorInvalidValue);
}

cudaError_t
cudaDeviceSynchronize(void)
{
    cudaError_t e = wjrt_capture_unsafe();

    return wjrt_error(e == cudaSuccess ? wjrt_synchronize(current) : e);
}

cudaError_t
cudaDeviceReset(void)
{
    cudaError_t e = wjrt_request(&(struct gpu_request){.op = GPU_RESET}, NULL);

    wjrt_forget_device();
    wjrt_forget_graph_memory();
    return wjrt_error(e);
}

cudaError_t
cudaDriverGetVersion(int *version)
{
    if (version == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

/* --- properties --------------------------------------------------------------------- */

static void
fill_memory_properties(struct cudaDeviceProp *d, const struct machine_properties *p)
{
    d->totalGlobalMem = p->memory_bytes;
    d->sharedMemPerBlock = p->shared_per_block;
    d->sharedMemPerBlockOptin = p->shared_per_block_optin;
    d->sharedMemPerMultiprocessor = p->shared_per_sm;
    d->reservedSharedMemPerBlock = 1024;
    d->regsPerBlock = d->regsPerMultiprocessor = REGISTERS_PER_SM;
    d->memPitch = 0x7fffffff;
    d->totalConstMem = CONST_BYTES;
    d->textureAlignment = 512;
    d->texturePitchAlignment = 32;
    d->surfaceAlignment = 512;
    d->memoryBusWidth = p->memory_bus_bits;
    d->l2CacheSize = (int)p->l2_bytes;
    d->globalL1CacheSupported = d->localL1CacheSupported = 1;
    d->canMapHostMemory = d->unifiedAddressing = d->managedMemory = 1;
    d->concurrentManagedAccess = d->hostRegisterSupported = 1;
    d->canUseHostPointerForRegisteredMem = 1;
    d->memoryPoolsSupported = 1;
}

/* The largest textures and surfaces, maxTexture1D to maxSurfaceCubemapLayered, of an
 * H200. */
static void
fill_texture_properties(struct cudaDeviceProp *d)
{
    static const int sizes[] = {
        131072, 32768, 131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768,
        32768,  16384, 16384,  16384, 8192,  8192,  32768,  32768, 32768,   2048,
        32768,  32768, 2048,   32768, 2046,  32768, 131072, 65536, 16384,   16384,
        16384,  32768, 2048,   32768, 32768, 2048,  32768,  32768, 2046,
    };
    size_t first = offsetof(struct cudaDeviceProp, maxTexture1D);

    _Static_assert(offsetof(struct cudaDeviceProp, maxSurfaceCubemapLayered) +
                           sizeof d->maxSurfaceCubemapLayered -
                           offsetof(struct cudaDeviceProp, maxTexture1D) ==
                       sizeof sizes,
                   "one size for each member");
    memcpy((char *)d + first, sizes, sizeof sizes);
}

static void
fill_properties(struct cudaDeviceProp *d, int device)
{
    const struct machine_properties *p = wjrt_properties();

    memset(d, 0, sizeof *d);
    snprintf(d->name, sizeof d->name, "%s", p->name);
    memcpy(d->uuid.bytes, "warpjudge-emu-00", sizeof d->uuid.bytes);
    d->uuid.bytes[sizeof d->uuid.bytes - 1] = (char)('0' + device);
    d->pciBusID = device;
    fill_memory_properties(d, p);
    fill_texture_properties(d);
    d->warpSize = p->warp_size;
    d->maxThreadsPerBlock = p->max_threads_per_block;
    d->maxThreadsDim[0] = d->maxThreadsDim[1] = p->max_threads_per_block;
    d->maxThreadsDim[2] = 64;
    d->maxGridSize[0] = 0x7fffffff;
    d->maxGridSize[1] = d->maxGridSize[2] = 65535;
    d->major = p->major;
    d->minor = p->minor;
    d->multiProcessorCount = p->multiprocessors;
    d->maxThreadsPerMultiProcessor = p->max_threads_per_sm;
    d->maxBlocksPerMultiProcessor = 32;
    d->concurrentKernels = 1;
    d->asyncEngineCount = 1;
    d->streamPrioritiesSupported = 1;
    d->cooperativeLaunch = 1;
}

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *d, int device)
{
    cudaError_t e = check_device(device);

    if (e == cudaSuccess && d == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        fill_properties(d, device);
    return wjrt_error(e);
}

/* The attribute's value by its number, from the properties if one of them has it. */
static bool
attribute_value(enum cudaDeviceAttr attribute, const struct cudaDeviceProp *d, int *value)
{
    const struct machine_properties *p = wjrt_properties();

    switch ((int)attribute) {
#define A(name, expression)                                                              \
    case cudaDevAttr##name:                                                              \
        *value = (int)(expression);                                                      \
        return true;
#include "attributes.def"
#undef A
    default:
        return false;
    }
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp d;
    cudaError_t e = check_device(device);

    if (e == cudaSuccess &&
        (value == NULL || attribute <= 0 || attribute >= cudaDevAttrMax))
        e = cudaErrorInvalidValue;
    if (e != cudaSuccess)
        return wjrt_error(e);
    fill_properties(&d, device);
    if (!attribute_value(attribute, &d, value))
        *value = 0; /* all other attributes are things that this device does not have */
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    cudaError_t e = check_device(device);

    if (e == cudaSuccess && (id == NULL || bytes < 13))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        snprintf(id, (size_t)bytes, "0000:%02x:00.0", (unsigned)device);
    return wjrt_error(e);
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && least != NULL)
        *least = 0;
    if (e == cudaSuccess && greatest != NULL)
        *greatest = -5;
    return wjrt_error(e);
}

/* --- limits and preferences --------------------------------------------------------- */

static size_t limits[] = {
    [cudaLimitStackSize] = STACK_BYTES,
    [cudaLimitPrintfFifoSize] = PRINTF_BYTES,
    [cudaLimitMallocHeapSize] = HEAP_BYTES,
    [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64,
    [cudaLimitPersistingL2CacheSize] = 11796480,
};

#define LIMITS (sizeof limits / sizeof limits[0])

static cudaError_t
check_limit(enum cudaLimit limit)
{
    if ((size_t)limit >= LIMITS)
        return cudaErrorInvalidValue;
    return limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit
                                                 : cudaSuccess;
}

cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess)
        e = check_limit(limit);
    if (e == cudaSuccess)
        limits[limit] =
            value; /* kept so that a program can ask for it; the device grows anyway */
    return wjrt_error(e);
}

cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess)
        e = value != NULL ? check_limit(limit) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *value = limits[limit];
    return wjrt_error(e);
}

cudaError_t
cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return wjrt_error((unsigned)config <= cudaFuncCachePreferEqual
                          ? wjrt_connect()
                          : cudaErrorInvalidValue);
}

cudaError_t
cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (config == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return wjrt_error(wjrt_connect());
}

cudaError_t
cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    return wjrt_error((unsigned)config <= cudaSharedMemBankSizeEightByte
                          ? wjrt_connect()
                          : cudaErrorInvalidValue);
}

cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (config == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *config = cudaSharedMemBankSizeFourByte;
    return wjrt_error(wjrt_connect());
}

cudaError_t
cudaCtxResetPersistingL2Cache(void)
{
    return wjrt_error(wjrt_connect());
}

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* cuda_profiler_api.h: there is no profiler that could be started. */
cudaError_t
cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t
cudaProfilerStop(void)
{
    return cudaSuccess;
}
