/*
 * The few functions of the CUDA driver that the arbiter needs, found with dlopen, so that
 * one build serves machines with and without a GPU. Declared here, in the driver's own
 * terms (CUDA Driver API reference), because the build must not need cuda.h: names,
 * argument order and the numbers below are the driver's ABI, which does not change under
 * one symbol.
 */
#ifndef DEVICE_LIBCUDA_H
#define DEVICE_LIBCUDA_H

#include "core/report.h"

#include <stddef.h>
#include <stdint.h>

typedef int cu_result;
typedef int cu_device;
typedef uint64_t cu_pointer;
typedef uint64_t cu_handle; /* CUmemGenericAllocationHandle */
typedef struct cu_context_s *cu_context;
typedef struct cu_module_s *cu_module;
typedef struct cu_function_s *cu_function;
typedef struct cu_stream_s *cu_stream;
typedef struct cu_event_s *cu_event;

enum {
    CU_OK = 0,
    CU_ATTRIBUTE_MEMORY_KHZ = 36,
    CU_ATTRIBUTE_MEMORY_BITS = 37, /* of the bus */
    CU_ATTRIBUTE_L2_BYTES = 38,
    CU_ATTRIBUTE_MULTIPROCESSORS = 16,
    CU_ATTRIBUTE_MAJOR = 75,
    CU_ATTRIBUTE_MINOR = 76,
    CU_ATTRIBUTE_POSIX_HANDLES = 103,
    CU_ATTRIBUTE_PERSISTING_L2_BYTES = 108,
    CU_ALLOCATION_PINNED = 1,
    CU_HANDLE_POSIX_FD = 1,
    CU_LOCATION_DEVICE = 1,
    CU_ACCESS_READ_WRITE = 3,
    CU_GRANULARITY_RECOMMENDED = 1,
    CU_SCHEDULE_SPIN = 1,
    CU_LIMIT_PERSISTING_L2_BYTES = 6,
    CU_STREAM_NO_DEFAULT_SYNC = 1,
    CU_HOST_MAPPED = 2,
};

struct cu_location {
    int type, id;
};

/* CUmemAllocationProp */
struct cu_allocation {
    int type;
    int handle_types;
    struct cu_location location;
    void *win32;
    uint8_t compression, rdma;
    uint16_t usage;
    uint8_t reserved[4];
};

/* CUmemAccessDesc */
struct cu_access {
    struct cu_location location;
    int flags;
};

/*    name, symbol, arguments */
#define CU_FUNCTIONS(X)                                                                  \
    X(init, "cuInit", (unsigned flags))                                                  \
    X(driver_version, "cuDriverGetVersion", (int *version))                              \
    X(error_name, "cuGetErrorName", (cu_result error, const char **text))                \
    X(error_string, "cuGetErrorString", (cu_result error, const char **text))            \
    X(device_count, "cuDeviceGetCount", (int *count))                                    \
    X(device_get, "cuDeviceGet", (cu_device * device, int ordinal))                      \
    X(device_name, "cuDeviceGetName", (char *name, int size, cu_device device))          \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device device))          \
    X(memory_free, "cuMemGetInfo_v2", (size_t * available, size_t * total))              \
    X(device_attribute, "cuDeviceGetAttribute",                                          \
      (int *value, int attribute, cu_device device))                                     \
    X(device_uuid, "cuDeviceGetUuid_v2", (unsigned char uuid[16], cu_device device))     \
    X(context_flags, "cuDevicePrimaryCtxSetFlags_v2",                                    \
      (cu_device device, unsigned flags))                                                \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * out, cu_device device))  \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))               \
    X(context_use, "cuCtxSetCurrent", (cu_context context))                              \
    X(set_limit, "cuCtxSetLimit", (int limit, size_t value))                             \
    X(reset_persisting, "cuCtxResetPersistingL2Cache", (void))                           \
    X(module_load, "cuModuleLoadData", (cu_module * out, const void *image))             \
    X(module_unload, "cuModuleUnload", (cu_module module))                               \
    X(module_function, "cuModuleGetFunction",                                            \
      (cu_function * out, cu_module module, const char *name))                           \
    X(launch, "cuLaunchKernel",                                                          \
      (cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z,                 \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,      \
       cu_stream stream, void **params, void **extra))                                   \
    X(stream_create, "cuStreamCreate", (cu_stream * out, unsigned flags))                \
    X(stream_destroy, "cuStreamDestroy_v2", (cu_stream stream))                          \
    X(stream_wait, "cuStreamSynchronize", (cu_stream stream))                            \
    X(event_create, "cuEventCreate", (cu_event * out, unsigned flags))                   \
    X(event_destroy, "cuEventDestroy_v2", (cu_event event))                              \
    X(event_record, "cuEventRecord", (cu_event event, cu_stream stream))                 \
    X(event_wait, "cuEventSynchronize", (cu_event event))                                \
    X(event_elapsed, "cuEventElapsedTime", (float *ms, cu_event begin, cu_event end))    \
    X(alloc, "cuMemAlloc_v2", (cu_pointer * out, size_t bytes))                          \
    X(free, "cuMemFree_v2", (cu_pointer p))                                              \
    X(host_alloc, "cuMemHostAlloc", (void **out, size_t bytes, unsigned flags))          \
    X(host_free, "cuMemFreeHost", (void *p))                                             \
    X(host_address, "cuMemHostGetDevicePointer_v2",                                      \
      (cu_pointer * out, void *host, unsigned flags))                                    \
    X(copy_in, "cuMemcpyHtoDAsync_v2",                                                   \
      (cu_pointer to, const void *from, size_t bytes, cu_stream stream))                 \
    X(copy_out, "cuMemcpyDtoHAsync_v2",                                                  \
      (void *to, cu_pointer from, size_t bytes, cu_stream stream))                       \
    X(copy, "cuMemcpyDtoDAsync_v2",                                                      \
      (cu_pointer to, cu_pointer from, size_t bytes, cu_stream stream))                  \
    X(set8, "cuMemsetD8Async",                                                           \
      (cu_pointer p, unsigned char value, size_t bytes, cu_stream stream))               \
    X(granularity, "cuMemGetAllocationGranularity",                                      \
      (size_t * bytes, const struct cu_allocation *prop, int option))                    \
    X(create, "cuMemCreate",                                                             \
      (cu_handle * out, size_t bytes, const struct cu_allocation *prop,                  \
       unsigned long long flags))                                                        \
    X(release, "cuMemRelease", (cu_handle handle))                                       \
    X(export_handle, "cuMemExportToShareableHandle",                                     \
      (void *fd, cu_handle handle, int type, unsigned long long flags))                  \
    X(reserve, "cuMemAddressReserve",                                                    \
      (cu_pointer * out, size_t bytes, size_t alignment, cu_pointer hint,                \
       unsigned long long flags))                                                        \
    X(unreserve, "cuMemAddressFree", (cu_pointer p, size_t bytes))                       \
    X(map, "cuMemMap",                                                                   \
      (cu_pointer p, size_t bytes, size_t offset, cu_handle handle,                      \
       unsigned long long flags))                                                        \
    X(unmap, "cuMemUnmap", (cu_pointer p, size_t bytes))                                 \
    X(set_access, "cuMemSetAccess",                                                      \
      (cu_pointer p, size_t bytes, const struct cu_access *access, size_t count))

struct libcuda {
#define X(name, symbol, args) cu_result(*name) args;
    CU_FUNCTIONS(X)
#undef X
};

/* The driver, loaded and initialised once a process; NULL and a sentence where there is
 * none. Never unloaded. */
const struct libcuda *libcuda_get(struct report *r);

/* 0 where rc says so; otherwise fills r with "WHAT: CUDA_ERROR_...: text". */
int libcuda_check(const struct libcuda *cu, cu_result rc, const char *what,
                  struct report *r);

/* "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as NVML and nvidia-smi write it. */
int libcuda_card_id(const struct libcuda *cu, cu_device device, char out[64],
                    struct report *r);

#endif
