/*
 * Maps the memory that the arbiter sends, in one of three ways. A memfd is mapped and,
 * for a GPU, registered with the driver. The handle of a CUDA allocation is imported
 * and mapped (CUDA C Programming Guide, "Virtual Memory Management"). An address of the
 * emulated GPU is taken as it is.
 */
#include "runner/memory.h"

#include "runner/driver.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

struct slot {
    uint32_t memory; /* enum runner_memory */
    uint64_t address, bytes;
};

static struct slot slots[RUNNER_SLOTS_MAX];
static int slot_count;

/* Lets the other GPUs use this memory. cudaDeviceEnablePeerAccess() opens only memory
 * of cudaMalloc(), so memory that is mapped here must be opened here. For GPUs that
 * cannot be peers the driver refuses, and copies between them go through the host. */
static void
open_to_peers(uint64_t address, size_t bytes, int own)
{
    for (int i = 0; i < driver_gpus(); i++) {
        const struct cu_access access = {{CU_LOCATION_DEVICE, i}, CU_ACCESS_READ_WRITE};

        if (i != own)
            (void)cu.set_access(address, bytes, &access, 1);
    }
}

static int
map_cuda(const struct runner_request *request, int fd, uint64_t *address, char *text,
         size_t text_size)
{
    struct cu_access access = {{CU_LOCATION_DEVICE, (int)request->device},
                               CU_ACCESS_READ_WRITE};
    cu_handle handle;
    size_t bytes = request->bytes;
    int error;

    error = driver_use((int)request->device, text, text_size);
    if (error != 0)
        return error;
    error = cu.import(&handle, (void *)(uintptr_t)fd, CU_HANDLE_POSIX_FD);
    if (error != 0)
        return driver_failed("cuMemImportFromShareableHandle", error, text, text_size);
    error = cu.reserve(address, bytes, 0, 0, 0);
    if (error != 0) {
        cu.release(handle);
        return driver_failed("cuMemAddressReserve", error, text, text_size);
    }
    error = cu.map(*address, bytes, 0, handle, 0);
    cu.release(handle); /* the mapping keeps the memory */
    if (error != 0) {
        cu.unreserve(*address, bytes);
        return driver_failed("cuMemMap", error, text, text_size);
    }
    error = cu.set_access(*address, bytes, &access, 1);
    if (error != 0) {
        cu.unmap(*address, bytes);
        cu.unreserve(*address, bytes);
        return driver_failed("cuMemSetAccess", error, text, text_size);
    }
    open_to_peers(*address, bytes, (int)request->device);
    return request->device != 0 ? driver_use(0, text, text_size) : 0;
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

    if (error != 0)
        return error;
    error = driver_use(0, text, text_size);
    if (error == 0) {
        error = cu.host_register((void *)(uintptr_t)*address, request->bytes,
                                 CU_REGISTER_PORTABLE_AND_MAPPED);
        if (error != 0)
            driver_failed("cuMemHostRegister", error, text, text_size);
    }
    if (error != 0)
        munmap((void *)(uintptr_t)*address, request->bytes);
    return error;
}

int32_t
memory_attach(const struct runner_request *request, int fd, char *text, size_t text_size)
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

    if (slot->memory == RUNNER_MEMORY_PINNED &&
        (error = cu.host_unregister((void *)(uintptr_t)slot->address)) != 0)
        return error;
    if (slot->memory == RUNNER_MEMORY_HOST || slot->memory == RUNNER_MEMORY_PINNED)
        return munmap((void *)(uintptr_t)slot->address, slot->bytes) == 0 ? 0 : -errno;
    if (slot->memory != RUNNER_MEMORY_CUDA)
        return 0;
    error = cu.unmap(slot->address, slot->bytes);
    return error != 0 ? error : cu.unreserve(slot->address, slot->bytes);
}

int32_t
memory_detach(uint64_t kept)
{
    int status = 0;

    while (slot_count > 0 && (uint64_t)slot_count > kept) {
        int error = unmap(&slots[--slot_count]);

        if (status == 0)
            status = error;
    }
    return status;
}

int
memory_address(int32_t slot, uint64_t *address)
{
    if (slot < 0 || slot >= slot_count)
        return -1;
    *address = slots[slot].address;
    return 0;
}
