/*
 * NVIDIA's driver, as far as a runner needs it, and the contexts of its GPUs. Primary
 * contexts: those that the CUDA runtime of whatever is loaded later uses, too.
 *
 * libcuda is opened by hand: the driver is a part of the machine, not of the toolkit, and
 * there may be none. Its few declarations are repeated here (from cuda.h of CUDA 12 and
 * 13, whose ABI is stable), so that building needs no CUDA headers.
 */
#ifndef RUNNER_DRIVER_H
#define RUNNER_DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    CU_MEMHOSTREGISTER_PORTABLE_AND_DEVICEMAP = 3,
};

struct cu_access {
    int location_type, location_id, flags; /* CUmemAccessDesc */
};

/* Only after driver_use. */
struct driver {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*retain)(void **context, int device); /* the primary context */
    int (*set_current)(void *context);
    int (*import)(unsigned long long *handle, void *os_handle, int type);
    int (*reserve)(uint64_t *address, size_t size, size_t alignment, uint64_t wanted,
                   unsigned long long flags);
    int (*map)(uint64_t address, size_t size, size_t offset, unsigned long long handle,
               unsigned long long flags);
    int (*set_access)(uint64_t address, size_t size, const struct cu_access *access,
                      size_t count);
    int (*unmap)(uint64_t address, size_t size);
    int (*release)(unsigned long long handle);
    int (*free_address)(uint64_t address, size_t size);
    int (*host_register)(void *address, size_t bytes, unsigned flags);
    int (*host_unregister)(void *address);
    int (*error_name)(int error, const char **name);
};

extern struct driver cu;

/* Makes a context on each GPU that this process sees, and leaves the first as the current
 * one. As driver_use. */
int driver_wake(char *text, size_t text_size);

/* GPUs: as many as woke; 1 where that was not asked for. */
int driver_gpus(void);

/* Makes this GPU's context the current one, and makes it anew where a submission has
 * reset the device. 0, -errno or the driver's error, then with words in text. */
int driver_use(int gpu, char *text, size_t text_size);

/* Words for an error of the function `what`; returns the error. */
int driver_failed(const char *what, int error, char *text, size_t text_size);

#endif
