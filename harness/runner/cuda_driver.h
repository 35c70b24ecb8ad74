/*
 * NVIDIA's driver as runner and arbiter use it: types, constants and functions, in the
 * driver's own terms (CUDA Driver API reference). We declare them ourselves, because
 * building must not need cuda.h. Names, order of arguments and numbers belong to the
 * driver's ABI, which never changes under one symbol.
 *
 * Each side opens libcuda with dlopen and makes its table of functions from the lists
 * below. A list calls X(name in the table, symbol, arguments) for each function.
 */
#ifndef RUNNER_CUDA_DRIVER_H
#define RUNNER_CUDA_DRIVER_H

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
    CU_ATTRIBUTE_MEMORY_BITS = 37, /* width of the memory bus */
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
    CU_REGISTER_PORTABLE_AND_MAPPED = 3,
    CU_ALLOC_PORTABLE_AND_MAPPED = 3,
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

/* The functions that both sides use. */
#define CU_COMMON_FUNCTIONS(X)                                                           \
    X(init, "cuInit", (unsigned flags))                                                  \
    X(error_name, "cuGetErrorName", (cu_result error, const char **text))                \
    X(device_count, "cuDeviceGetCount", (int *count))                                    \
    X(device_get, "cuDeviceGet", (cu_device * device, int ordinal))                      \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cu_context * out, cu_device device))  \
    X(context_use, "cuCtxSetCurrent", (cu_context context))                              \
    X(release, "cuMemRelease", (cu_handle handle))                                       \
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

/* The functions that only a runner uses. */
#define CU_RUNNER_FUNCTIONS(X)                                                           \
    X(import, "cuMemImportFromShareableHandle",                                          \
      (cu_handle * out, void *os_handle, int type))                                      \
    X(alloc, "cuMemAlloc_v2", (cu_pointer * out, size_t bytes))                          \
    X(host_alloc, "cuMemHostAlloc", (void **out, size_t bytes, unsigned flags))          \
    X(copy_in_now, "cuMemcpyHtoD_v2", (cu_pointer to, const void *from, size_t bytes))   \
    X(host_register, "cuMemHostRegister_v2", (void *p, size_t bytes, unsigned flags))    \
    X(host_unregister, "cuMemHostUnregister", (void *p))

/* The functions that only the arbiter uses. */
#define CU_ARBITER_FUNCTIONS(X)                                                          \
    X(driver_version, "cuDriverGetVersion", (int *version))                              \
    X(error_string, "cuGetErrorString", (cu_result error, const char **text))            \
    X(device_name, "cuDeviceGetName", (char *name, int size, cu_device device))          \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, cu_device device))          \
    X(memory_free, "cuMemGetInfo_v2", (size_t * available, size_t * total))              \
    X(device_attribute, "cuDeviceGetAttribute",                                          \
      (int *value, int attribute, cu_device device))                                     \
    X(device_uuid, "cuDeviceGetUuid_v2", (unsigned char uuid[16], cu_device device))     \
    X(context_flags, "cuDevicePrimaryCtxSetFlags_v2",                                    \
      (cu_device device, unsigned flags))                                                \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cu_device device))               \
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
    X(export_handle, "cuMemExportToShareableHandle",                                     \
      (void *fd, cu_handle handle, int type, unsigned long long flags))

#endif
