/* Other devices, other processes, the driver: there are none, and these calls say so. */
#include "runtime.h"

#include <string.h>

cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (device == NULL || id == NULL))
        e = cudaErrorInvalidValue;
    if (e == cudaSuccess && strcmp(id, "0000:00:00.0") != 0)
        e = cudaErrorInvalidDevice;
    if (e == cudaSuccess)
        *device = 0;
    return wjrt_error(e);
}

cudaError_t
cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    (void)value;
    (void)attribute;
    (void)from;
    (void)to;
    return wjrt_error(cudaErrorInvalidDevice); /* it takes two */
}

cudaError_t
cudaSetValidDevices(int *devices, int count)
{
    cudaError_t e = wjrt_connect();

    if (e == cudaSuccess && (devices == NULL || count < 1))
        e = cudaErrorInvalidValue;
    for (int i = 0; i < count && e == cudaSuccess; i++)
        if (devices[i] != 0)
            e = cudaErrorInvalidDevice;
    return wjrt_error(e);
}

/* The runtime is complete without a driver, which has no entry points then. */
cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **entry, unsigned int version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *result)
{
    (void)version;
    (void)flags;
    if (symbol == NULL || entry == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *entry = NULL;
    if (result != NULL)
        *result = cudaDriverEntryPointSymbolNotFound;
    return wjrt_error(wjrt_connect());
}
WJRT_PTSZ(cudaGetDriverEntryPointByVersion);

/* cuda_runtime_api.h declares it only where it is deprecated. */
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
