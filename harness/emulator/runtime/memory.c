/*
 * Device memory is the emulated GPU's and only its address comes here. Pinned and managed
 * memory is a memfd of its making, mapped here at the address that kernels see.
 */
#include "runtime.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PITCH_BYTES 512u /* rows of cudaMallocPitch begin at multiples of this */

/* What is mapped here, and memory that the program merely called page-locked. */
struct host_memory {
    struct host_memory *next;
    char *start;
    size_t bytes, mapped_bytes; /* mapped_bytes 0: registered only */
    bool managed;
};

static struct {
    pthread_mutex_t lock;
    struct host_memory *first;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Under the lock. The link to the memory that holds p. */
static struct host_memory **
host_find(const void *p)
{
    struct host_memory **link = &host.first;

    while (*link != NULL && (uintptr_t)p - (uintptr_t)(*link)->start >= (*link)->bytes)
        link = &(*link)->next;
    return link;
}

bool
wjrt_is_pinned(const void *p, size_t bytes)
{
    const struct host_memory *m;
    bool pinned;

    pthread_mutex_lock(&host.lock);
    m = *host_find(p);
    pinned = m != NULL && m->mapped_bytes != 0 &&
             bytes <= m->bytes - (size_t)((const char *)p - m->start);
    pthread_mutex_unlock(&host.lock);
    return pinned;
}

/* --- device memory
 * ------------------------------------------------------------------------- */

cudaError_t
cudaMalloc(void **pointer, size_t bytes)
{
    struct gpu_request q = {.op = GPU_MALLOC, .memory = {.bytes = bytes}};
    struct gpu_reply reply;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (pointer == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (bytes == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    e = wjrt_request(&q, &reply);
    if (e == cudaSuccess)
        *pointer = (void *)(uintptr_t)reply.value[0];
    return wjrt_error(e);
}

/* Unlinks and unmaps host memory that starts at p. */
static bool
host_forget(const void *p)
{
    struct host_memory **link, *m;

    pthread_mutex_lock(&host.lock);
    link = host_find(p);
    m = *link;
    if (m != NULL && (m->start != p || m->mapped_bytes == 0))
        m = NULL;
    if (m != NULL)
        *link = m->next;
    pthread_mutex_unlock(&host.lock);
    if (m == NULL)
        return false;
    munmap(m->start, m->mapped_bytes);
    free(m);
    return true;
}

cudaError_t
cudaFree(void *pointer)
{
    struct gpu_request q = {.op = GPU_FREE, .memory = {.address = (uintptr_t)pointer}};
    cudaError_t e = wjrt_connect();

    if (pointer == NULL || e != cudaSuccess)
        return wjrt_error(e); /* cudaFree(0) is how programs wake the runtime up */
    e = wjrt_request(&q, NULL);
    if (e == cudaSuccess)
        host_forget(pointer);
    return wjrt_error(e);
}

/* In order with everything else, so the plain ones are right. */
cudaError_t
cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    if (wjrt_stream(stream) == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    return cudaMalloc(pointer, bytes);
}
WJRT_PTSZ(cudaMallocAsync);

cudaError_t
cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    if (wjrt_stream(stream) == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    return cudaFree(pointer);
}
WJRT_PTSZ(cudaFreeAsync);

cudaError_t
cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    size_t row, bytes;
    cudaError_t e;

    if (pitch == NULL || __builtin_add_overflow(width, PITCH_BYTES - 1, &row))
        return wjrt_error(cudaErrorInvalidValue);
    row = row / PITCH_BYTES * PITCH_BYTES;
    if (__builtin_mul_overflow(row, height, &bytes))
        return wjrt_error(cudaErrorMemoryAllocation);
    e = cudaMalloc(pointer, bytes);
    if (e == cudaSuccess)
        *pitch = row;
    return e;
}

cudaError_t
cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    size_t pitch, rows;
    cudaError_t e;
    void *p;

    if (pointer == NULL || __builtin_mul_overflow(extent.height, extent.depth, &rows))
        return wjrt_error(cudaErrorInvalidValue);
    e = cudaMallocPitch(&p, &pitch, extent.width, rows);
    if (e == cudaSuccess)
        *pointer = (struct cudaPitchedPtr){p, pitch, extent.width, extent.height};
    return e;
}

cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    struct gpu_reply reply;
    cudaError_t e = wjrt_request(&(struct gpu_request){.op = GPU_USAGE}, &reply);

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (free_bytes != NULL)
        *free_bytes = reply.value[0];
    if (total != NULL)
        *total = reply.value[1];
    return cudaSuccess;
}

/* --- memory that both sides see
 * ---------------------------------------------------------------- */

cudaError_t
wjrt_shared_map(int fd, uint64_t address, uint64_t mapped_bytes, size_t bytes,
                bool managed)
{
    struct host_memory *m = calloc(1, sizeof *m);
    void *want = (void *)(uintptr_t)address, *got;

    if (m == NULL)
        return cudaErrorMemoryAllocation;
    got = mmap(want, mapped_bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    if (got != want) {
        if (got != MAP_FAILED)
            munmap(got, mapped_bytes);
        free(m);
        wjrt_warn_once(
            "memory that the host and the emulated GPU share could not be mapped "
            "at the device's address");
        return cudaErrorNotSupported;
    }
    *m = (struct host_memory){NULL, got, bytes, mapped_bytes, managed};
    pthread_mutex_lock(&host.lock);
    m->next = host.first;
    host.first = m;
    pthread_mutex_unlock(&host.lock);
    return cudaSuccess;
}

cudaError_t
wjrt_shared_alloc(void **out, size_t bytes, uint32_t flags)
{
    struct wjrt_exchange x = {
        .request = {.op = GPU_SHARED, .flags = flags, .memory = {.bytes = bytes}}};
    cudaError_t e = wjrt_exchange(&x);

    if (e != cudaSuccess)
        return e;
    e = x.fd >= 0 ? wjrt_shared_map(x.fd, x.reply.value[0], x.reply.value[1], bytes,
                                    (flags & GPU_MANAGED) != 0)
                  : cudaErrorContextIsDestroyed;
    if (x.fd >= 0)
        close(x.fd);
    if (e == cudaSuccess) {
        *out = (void *)(uintptr_t)x.reply.value[0];
    } else {
        struct gpu_request undo = {.op = GPU_FREE,
                                   .memory = {.address = x.reply.value[0]}};

        wjrt_request(&undo, NULL);
    }
    return e;
}

cudaError_t
cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t
cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    if (pointer == NULL || flags > (cudaHostAllocPortable | cudaHostAllocMapped |
                                    cudaHostAllocWriteCombined))
        return wjrt_error(cudaErrorInvalidValue);
    if (bytes == 0) {
        *pointer = NULL;
        return wjrt_error(wjrt_connect());
    }
    return wjrt_error(wjrt_shared_alloc(pointer, bytes, 0));
}

cudaError_t
cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}

cudaError_t
cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    if (pointer == NULL || bytes == 0 ||
        (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return wjrt_error(cudaErrorInvalidValue);
    return wjrt_error(wjrt_shared_alloc(pointer, bytes, GPU_MANAGED));
}

/* Page-locking changes nothing here; that kernels could reach the memory would. */
cudaError_t
cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    struct host_memory *m;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (pointer == NULL || bytes == 0)
        return wjrt_error(cudaErrorInvalidValue);
    if (flags & (cudaHostRegisterMapped | cudaHostRegisterIoMemory)) {
        wjrt_warn_once(
            "kernels can't reach memory of cudaHostRegister on the emulated GPU: "
            "use cudaHostAlloc");
        return wjrt_error(cudaErrorNotSupported);
    }
    m = malloc(sizeof *m);
    if (m == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *m = (struct host_memory){NULL, pointer, bytes, 0, false};
    pthread_mutex_lock(&host.lock);
    if (*host_find(pointer) != NULL)
        e = cudaErrorHostMemoryAlreadyRegistered;
    if (e == cudaSuccess) {
        m->next = host.first;
        host.first = m;
    }
    pthread_mutex_unlock(&host.lock);
    if (e != cudaSuccess)
        free(m);
    return wjrt_error(e);
}

cudaError_t
cudaHostUnregister(void *pointer)
{
    struct host_memory **link, *m;

    pthread_mutex_lock(&host.lock);
    link = host_find(pointer);
    m = *link;
    if (m != NULL && (m->start != pointer || m->mapped_bytes != 0))
        m = NULL;
    if (m != NULL)
        *link = m->next;
    pthread_mutex_unlock(&host.lock);
    free(m);
    return wjrt_error(m != NULL ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t
cudaHostGetDevicePointer(void **device_pointer, void *pointer, unsigned int flags)
{
    const struct host_memory *m;

    if (device_pointer == NULL || flags != 0)
        return wjrt_error(cudaErrorInvalidValue);
    pthread_mutex_lock(&host.lock);
    m = *host_find(pointer);
    pthread_mutex_unlock(&host.lock);
    if (m == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    if (m->mapped_bytes == 0) {
        wjrt_warn_once(
            "kernels can't reach memory of cudaHostRegister on the emulated GPU: "
            "use cudaHostAlloc");
        return wjrt_error(cudaErrorNotSupported);
    }
    *device_pointer = pointer; /* one address on both sides */
    return cudaSuccess;
}

cudaError_t
cudaHostGetFlags(unsigned int *flags, void *pointer)
{
    const struct host_memory *m;

    pthread_mutex_lock(&host.lock);
    m = *host_find(pointer);
    pthread_mutex_unlock(&host.lock);
    if (m == NULL || flags == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *flags = m->mapped_bytes != 0 ? cudaHostAllocMapped : cudaHostRegisterDefault;
    return cudaSuccess;
}

/* --- what an address is
 * ---------------------------------------------------------------------- */

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct gpu_request q = {.op = GPU_INFO, .memory = {.address = (uintptr_t)pointer}};
    struct gpu_reply reply;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (attributes == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *attributes =
        (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                       .device = -2, /* as the real runtime says */
                                       .hostPointer = (void *)pointer};
    e = wjrt_request(&q, &reply);
    if (e == cudaErrorInvalidValue) /* ordinary host memory */
        return cudaSuccess;
    if (e != cudaSuccess)
        return wjrt_error(e);
    attributes->device = 0;
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer =
        reply.value[2] != GPU_MEMORY_DEVICE ? (void *)pointer : NULL;
    attributes->type = reply.value[2] == GPU_MEMORY_DEVICE   ? cudaMemoryTypeDevice
                       : reply.value[2] == GPU_MEMORY_PINNED ? cudaMemoryTypeHost
                                                             : cudaMemoryTypeManaged;
    return cudaSuccess;
}

/* Where managed memory lies and what is done with it next are hints; there is one place.
 */
cudaError_t
cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
              struct cudaMemLocation location)
{
    (void)advice;
    (void)location;
    return wjrt_error(pointer != NULL && bytes != 0 ? wjrt_connect()
                                                    : cudaErrorInvalidValue);
}

cudaError_t
cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                     unsigned int flags, cudaStream_t stream)
{
    (void)location;
    if (pointer == NULL || bytes == 0 || flags != 0)
        return wjrt_error(cudaErrorInvalidValue);
    return wjrt_error(wjrt_stream(stream) != NULL ? wjrt_connect()
                                                  : cudaErrorInvalidResourceHandle);
}
WJRT_PTSZ(cudaMemPrefetchAsync);
