/*
 * The other device, if there is one. Other processes and the driver do not exist here,
 * and their calls say so.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (device == NULL || id == NULL))
        e = cudaErrorInvalidValue;
    for (int i = 0; e == cudaSuccess && i < wjrt_properties()->devices; i++) {
        char known[16];

        e = cudaDeviceGetPCIBusId(known, sizeof known, i);
        if (e == cudaSuccess && strcmp(id, known) == 0) {
            *device = i;
            return cudaSuccess;
        }
    }
    return wjrt_error(e == cudaSuccess ? cudaErrorInvalidDevice : e);
}

/* Returns cudaSuccess if both are devices and differ. */
static cudaError_t
check_other(int device, int other)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess &&
        (!wjrt_is_device(device) || !wjrt_is_device(other) || device == other))
        e = cudaErrorInvalidDevice;
    return e;
}

cudaError_t
cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    cudaError_t e = check_other(from, to);

    if (e == cudaSuccess && value == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess) /* other attributes mean no, or the best rank */
        *value = attribute == cudaDevP2PAttrAccessSupported ||
                 attribute == cudaDevP2PAttrNativeAtomicSupported;
    return wjrt_error(e);
}

cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (!wjrt_is_device(device) || !wjrt_is_device(peer)))
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess && can == NULL)
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *can = device != peer;
    return wjrt_error(e);
}

/* Allows or forbids the current device to access the other's memory. */
static cudaError_t
set_access(bool access)
{
    struct gpu_request q = {.op = GPU_PEER, .device = wjrt_device(), .id = access};

    return wjrt_request(&q, NULL);
}

cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    cudaError_t e = check_other(wjrt_device(), peer);

    if (e == cudaSuccess && flags != 0)
        e = cudaErrorInvalidValue;
    return wjrt_error(e == cudaSuccess ? set_access(true) : e);
}

cudaError_t
cudaDeviceDisablePeerAccess(int peer)
{
    cudaError_t e = check_other(wjrt_device(), peer);

    return wjrt_error(e == cudaSuccess ? set_access(false) : e);
}

cudaError_t
cudaSetValidDevices(int *devices, int count)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (devices == NULL || count < 1))
        e = cudaErrorInvalidValue;
    for (int i = 0; i < count && e == cudaSuccess; i++)
        if (!wjrt_is_device(devices[i]))
            e = cudaErrorInvalidDevice;
    return wjrt_error(e);
}

/* The driver has no entry points, because the runtime is complete without a driver. Many
 * callers look neither at *entry nor at *result, and then die of the null pointer. */
cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **entry, unsigned int version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result)
{
    char sentence[160];

    (void)version;
    (void)flags;
    if (symbol == NULL || entry == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *entry = NULL;
    snprintf(
        sentence, sizeof sentence,
        "the emulated GPU has no driver functions; cudaGetDriverEntryPoint gave a null "
        "pointer for %.60s",
        symbol);
    wjrt_warn_once(sentence);
    if (result != NULL)
        *result = cudaDriverEntryPointSymbolNotFound;
    return wjrt_error(wjrt_connect());
}
WJRT_PTSZ(cudaGetDriverEntryPointByVersion);

/* cuda_runtime_api.h declares it only in versions that deprecate it. */
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **entry,
                                    unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **entry, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(symbol, entry, CUDART_VERSION, flags, result);
}
WJRT_PTSZ(cudaGetDriverEntryPoint);
