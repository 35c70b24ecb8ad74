/*
 * The GPUs and the buffers of a call as this process sees them: a memfd mapped
 * (references in C), a CUDA allocation of the arbiter's imported by its POSIX descriptor
 * and mapped (CUDA C Programming Guide, "Virtual Memory Management"), or an address of
 * the emulated GPU taken as it is.
 *
 * libcuda is opened by hand: one runner.o serves every kind of program, and the driver is
 * a part of the machine, not of the toolkit. Its few declarations are repeated here (from
 * cuda.h of CUDA 12 and 13, whose ABI is stable), so that building needs no CUDA headers.
 */
#include "runner/runner.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
};

struct cu_access {
    int location_type, location_id, flags; /* CUmemAccessDesc */
};

static struct {
    void *library;
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
    int (*error_name)(int error, const char **name);
} cu;

/* The runtime's way to a current primary context; absent in a reference in C. */
extern int cudaGetDeviceCount(int *count) __attribute__((weak));
extern int cudaSetDevice(int device) __attribute__((weak));
extern int cudaFree(void *address) __attribute__((weak));
extern int cudaHostRegister(void *address, size_t bytes, unsigned flags)
    __attribute__((weak));
extern int cudaHostUnregister(void *address) __attribute__((weak));

#define CUDA_HOST_REGISTER_PORTABLE_AND_MAPPED 3u

struct slot {
    uint32_t memory; /* enum runner_memory */
    uint64_t address, bytes;
};

static struct slot slots[RUNNER_SLOTS_MAX];
static int slot_count;
static int gpus = 1;

void
warpjudge_gpus_wake(void)
{
    int count = 0;

    if (cudaGetDeviceCount == NULL || cudaSetDevice == NULL || cudaFree == NULL)
        return;
    if (cudaGetDeviceCount(&count) == 0 && count > 1)
        gpus = count;
    for (int i = gpus - 1; i >= 0; i--)
        if (gpus == 1 || cudaSetDevice(i) == 0)
            (void)cudaFree(NULL);
}

int
warpjudge_gpus(void)
{
    return gpus;
}

static int
load_driver(char *text, size_t text_size)
{
    static const struct {
        const char *name;
        void **function;
    } needed[] = {
        {"cuMemImportFromShareableHandle", (void **)&cu.import},
        {"cuMemAddressReserve", (void **)&cu.reserve},
        {"cuMemMap", (void **)&cu.map},
        {"cuMemSetAccess", (void **)&cu.set_access},
        {"cuMemUnmap", (void **)&cu.unmap},
        {"cuMemRelease", (void **)&cu.release},
        {"cuMemAddressFree", (void **)&cu.free_address},
        {"cuGetErrorName", (void **)&cu.error_name},
    };

    if (cu.library != NULL)
        return 0;
    cu.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; cu.library != NULL && i < sizeof needed / sizeof *needed; i++) {
        *needed[i].function = dlsym(cu.library, needed[i].name);
        if (*needed[i].function == NULL) {
            dlclose(cu.library);
            cu.library = NULL;
        }
    }
    if (cu.library == NULL) {
        const char *why = dlerror();

        snprintf(text, text_size, "%s", why != NULL ? why : "libcuda.so.1 is too old");
        return -ENOSYS;
    }
    return 0;
}

static int
cuda_failed(const char *what, int error, char *text, size_t text_size)
{
    const char *name = NULL;

    cu.error_name(error, &name);
    snprintf(text, text_size, "%s: %s", what, name != NULL ? name : "unknown error");
    return error;
}

/* cudaDeviceEnablePeerAccess() is for cudaMalloc()'s memory: what is mapped here another
 * GPU can only use if it is told so here. Where the two cannot be peers the driver
 * refuses; copies between them then go through the host. */
static void
open_to_peers(uint64_t address, size_t bytes, int own)
{
    for (int i = 0; i < gpus; i++) {
        const struct cu_access access = {CU_MEM_LOCATION_TYPE_DEVICE, i,
                                         CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

        if (i != own)
            (void)cu.set_access(address, bytes, &access, 1);
    }
}

static int
map_cuda(const struct runner_request *request, int fd, uint64_t *address, char *text,
         size_t text_size)
{
    struct cu_access access = {CU_MEM_LOCATION_TYPE_DEVICE, (int)request->device,
                               CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    unsigned long long handle;
    size_t bytes = request->bytes;
    int error;

    if (cudaSetDevice == NULL || cudaFree == NULL)
        return -ENOSYS;
    if ((error = cudaSetDevice((int)request->device)) != 0 ||
        (error = cudaFree(NULL)) != 0) {
        snprintf(text, text_size, "no CUDA context: error %d", error);
        return error;
    }
    if ((error = load_driver(text, text_size)) != 0)
        return error;
    error = cu.import(&handle, (void *)(uintptr_t)fd,
                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (error != 0)
        return cuda_failed("cuMemImportFromShareableHandle", error, text, text_size);
    error = cu.reserve(address, bytes, 0, 0, 0);
    if (error != 0) {
        cu.release(handle);
        return cuda_failed("cuMemAddressReserve", error, text, text_size);
    }
    error = cu.map(*address, bytes, 0, handle, 0);
    cu.release(handle); /* the mapping keeps the memory */
    if (error != 0) {
        cu.free_address(*address, bytes);
        return cuda_failed("cuMemMap", error, text, text_size);
    }
    error = cu.set_access(*address, bytes, &access, 1);
    if (error != 0) {
        cu.unmap(*address, bytes);
        cu.free_address(*address, bytes);
        return cuda_failed("cuMemSetAccess", error, text, text_size);
    }
    open_to_peers(*address, bytes, (int)request->device);
    return 0;
}

static int
map_host(const struct runner_request *request, int fd, uint64_t *address)
{
    void *at = mmap(NULL, request->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (at == MAP_FAILED)
        return -errno;
    *address = (uint64_t)(uintptr_t)at;
    return 0;
}

static int
map_pinned(const struct runner_request *request, int fd, uint64_t *address, char *text,
           size_t text_size)
{
    int error = map_host(request, fd, address);

    /* A program that asks for no pinned memory of its own, like the empty solve(), is
     * linked without these. */
    if (error != 0 || cudaHostRegister == NULL || cudaHostUnregister == NULL)
        return error;
    error = cudaHostRegister((void *)(uintptr_t)*address, request->bytes,
                             CUDA_HOST_REGISTER_PORTABLE_AND_MAPPED);
    if (error != 0) {
        munmap((void *)(uintptr_t)*address, request->bytes);
        snprintf(text, text_size, "cudaHostRegister: error %d", error);
    }
    return error;
}

int32_t
warpjudge_memory_attach(const struct runner_request *request, int fd, char *text,
                        size_t text_size)
{
    struct slot slot = {request->memory, request->address, request->bytes};
    int status = -EINVAL;

    if (slot_count == RUNNER_SLOTS_MAX)
        status = -ENOSPC;
    else if (request->memory == RUNNER_MEMORY_ADDRESS)
        status = 0;
    else if (request->memory == RUNNER_MEMORY_HOST && fd >= 0)
        status = map_host(request, fd, &slot.address);
    else if (request->memory == RUNNER_MEMORY_PINNED && fd >= 0)
        status = map_pinned(request, fd, &slot.address, text, text_size);
    else if (request->memory == RUNNER_MEMORY_CUDA && fd >= 0)
        status = map_cuda(request, fd, &slot.address, text, text_size);
    if (fd >= 0)
        close(fd);
    if (status == 0)
        slots[slot_count++] = slot;
    return status;
}

static int
unmap(const struct slot *slot)
{
    int error;

    if (slot->memory == RUNNER_MEMORY_PINNED && cudaHostUnregister != NULL &&
        (error = cudaHostUnregister((void *)(uintptr_t)slot->address)) != 0)
        return error;
    if (slot->memory == RUNNER_MEMORY_HOST || slot->memory == RUNNER_MEMORY_PINNED)
        return munmap((void *)(uintptr_t)slot->address, slot->bytes) == 0 ? 0 : -errno;
    if (slot->memory != RUNNER_MEMORY_CUDA)
        return 0;
    error = cu.unmap(slot->address, slot->bytes);
    return error != 0 ? error : cu.free_address(slot->address, slot->bytes);
}

int32_t
warpjudge_memory_detach(void)
{
    int status = 0;

    while (slot_count > 0) {
        int error = unmap(&slots[--slot_count]);

        if (status == 0)
            status = error;
    }
    return status;
}

int
warpjudge_memory_address(int32_t slot, uint64_t *address)
{
    if (slot < 0 || slot >= slot_count)
        return -1;
    *address = slots[slot].address;
    return 0;
}
