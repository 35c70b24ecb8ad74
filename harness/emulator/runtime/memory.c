/*
 * Device memory belongs to the emulated GPU, and only its address comes here. Pinned
 * and managed memory is a memfd that the emulated GPU makes. It is mapped here at the
 * address that kernels see.
 */
#include "stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PITCH_BYTES 512u /* rows of cudaMallocPitch begin at multiples of it */

/* Host memory that the device sees at the same address. */
struct host_memory {
    struct host_memory *next;
    char *start;
    size_t bytes, mapped_bytes;
    bool managed,
        registered; /* registered: the program's own pages, shared where they are */
    struct wjrt_hints hints;
};

static struct {
    pthread_mutex_t lock;
    struct host_memory *first;
} host = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The link to the memory that holds p. The caller has the lock. */
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
    pinned = m != NULL && bytes <= m->bytes - (size_t)((const char *)p - m->start);
    pthread_mutex_unlock(&host.lock);
    return pinned;
}

/* --- device memory ------------------------------------------------------------------ */

cudaError_t
wjrt_device_alloc(void **pointer, size_t bytes, uint16_t device)
{
    struct gpu_request q = {
        .op = GPU_MALLOC, .device = device, .memory = {.bytes = bytes}};
    struct gpu_reply reply;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return e;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    if (bytes == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    e = wjrt_request(&q, &reply);
    if (e == cudaSuccess)
        *pointer = (void *)(uintptr_t)reply.value[0];
    return e;
}

cudaError_t
cudaMalloc(void **pointer, size_t bytes)
{
    cudaError_t e = wjrt_capture_unsafe();

    if (e == cudaSuccess)
        e = wjrt_device_alloc(pointer, bytes, wjrt_device());
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
    if (m != NULL && (m->start != p || m->registered))
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

static cudaError_t
device_free(void *pointer)
{
    struct gpu_request q = {.op = GPU_FREE, .memory = {.address = (uintptr_t)pointer}};
    cudaError_t e = wjrt_connect();

    if (pointer == NULL || e != cudaSuccess)
        return e; /* programs wake the runtime with cudaFree(0) */
    if (wjrt_is_graph_memory(pointer))
        return wjrt_synchronize(wjrt_device());
    e = wjrt_request(&q, NULL);
    if (e == cudaSuccess)
        host_forget(pointer);
    else if (e == cudaErrorInvalidValue)
        wjrt_explain(e,
                     "what is freed at %p is no buffer: perhaps it was freed before, or "
                     "cudaMalloc did not give it",
                     pointer);
    return e;
}

cudaError_t
cudaFree(void *pointer)
{
    cudaError_t e = wjrt_capture_unsafe();

    return wjrt_error(e == cudaSuccess ? device_free(pointer) : e);
}

/* Streams are in order with everything else, so plain allocations do. */
cudaError_t
cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    return wjrt_error(s->capture != NULL
                          ? wjrt_capture_alloc(s, pointer, bytes)
                          : wjrt_device_alloc(pointer, bytes, wjrt_stream_device(s)));
}
WJRT_PTSZ(cudaMallocAsync);

cudaError_t
cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    struct CUstream_st *s = wjrt_stream(stream);

    if (s == NULL)
        return wjrt_error(cudaErrorInvalidResourceHandle);
    return wjrt_error(s->capture != NULL ? wjrt_capture_free(s, pointer)
                                         : device_free(pointer));
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
    struct gpu_request q = {.op = GPU_USAGE, .device = wjrt_device()};
    struct gpu_reply reply;
    cudaError_t e = wjrt_request(&q, &reply);

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (free_bytes != NULL)
        *free_bytes = reply.value[0];
    if (total != NULL)
        *total = reply.value[1];
    return cudaSuccess;
}

/* --- memory that both sides see ----------------------------------------------------- */

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
    *m = (struct host_memory){.start = got,
                              .bytes = bytes,
                              .mapped_bytes = mapped_bytes,
                              .managed = managed,
                              .hints = {0, -2, -2, -2}};
    pthread_mutex_lock(&host.lock);
    m->next = host.first;
    host.first = m;
    pthread_mutex_unlock(&host.lock);
    return cudaSuccess;
}

cudaError_t
wjrt_shared_alloc(void **out, size_t bytes, uint32_t flags)
{
    struct wjrt_exchange x = {.request = {.op = GPU_SHARED,
                                          .flags = (uint16_t)flags,
                                          .memory = {.bytes = bytes}}};
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
    const struct host_memory *m;

    pthread_mutex_lock(&host.lock);
    m = *host_find(pointer);
    pthread_mutex_unlock(&host.lock);
    if (pointer != NULL && (m == NULL || m->managed || m->registered))
        return wjrt_error(cudaErrorInvalidValue);
    return cudaFree(pointer);
}

cudaError_t
cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    if (pointer == NULL || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return wjrt_error(cudaErrorInvalidValue);
    if (bytes == 0) {
        *pointer = NULL;
        return wjrt_error(wjrt_connect());
    }
    return wjrt_error(wjrt_shared_alloc(pointer, bytes, GPU_MANAGED));
}

struct wjrt_hints *
wjrt_managed_hints(const void *p, size_t bytes)
{
    struct host_memory *m;

    pthread_mutex_lock(&host.lock);
    m = *host_find(p);
    pthread_mutex_unlock(&host.lock);
    if (m == NULL || !m->managed || bytes == 0 ||
        bytes > m->bytes - (size_t)((const char *)p - m->start))
        return NULL;
    return &m->hints;
}

/* --- the program's own memory, registered ------------------------------------------- */

/* Replaces pages by others with the same contents: shared pages of fd, or private ones
 * if fd is -1. What another thread writes meanwhile may be lost. */
static bool
replace_pages(char *start, size_t bytes, int fd)
{
    int flags = fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    char *copy = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    void *moved;

    if (copy == MAP_FAILED)
        return false;
    memcpy(copy, start, bytes);
    moved = mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, start);
    if (moved == MAP_FAILED)
        munmap(copy, bytes);
    return moved != MAP_FAILED;
}

static cudaError_t
register_pages(struct host_memory *m, char *start, size_t bytes)
{
    struct wjrt_exchange x = {
        .request = {.op = GPU_SHARED,
                    .memory = {.address = (uintptr_t)start, .bytes = bytes}}};
    cudaError_t e = wjrt_exchange(&x);

    if (e != cudaSuccess)
        return e;
    if (x.fd < 0 || !replace_pages(start, bytes, x.fd)) {
        struct gpu_request undo = {.op = GPU_FREE,
                                   .memory = {.address = (uintptr_t)start}};

        wjrt_request(&undo, NULL);
        e = cudaErrorNotSupported;
    }
    if (x.fd >= 0)
        close(x.fd);
    m->mapped_bytes = bytes;
    return e;
}

/* Makes the memory's pages ones that the device shares, at their own addresses. So
 * kernels can use the pointer as it is. */
cudaError_t
cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)pointer % page;
    struct host_memory *m;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (pointer == NULL || bytes == 0 || bytes > SIZE_MAX - 2 * page ||
        flags > (cudaHostRegisterPortable | cudaHostRegisterMapped |
                 cudaHostRegisterIoMemory | cudaHostRegisterReadOnly))
        return wjrt_error(cudaErrorInvalidValue);
    if (flags & cudaHostRegisterIoMemory)
        return wjrt_error(cudaErrorNotSupported);
    m = calloc(1, sizeof *m);
    if (m == NULL)
        return wjrt_error(cudaErrorMemoryAllocation);
    *m = (struct host_memory){.start = pointer, .bytes = bytes, .registered = true};
    pthread_mutex_lock(&host.lock);
    if (*host_find(pointer) != NULL)
        e = cudaErrorHostMemoryAlreadyRegistered;
    pthread_mutex_unlock(&host.lock);
    if (e == cudaSuccess)
        e = register_pages(m, (char *)pointer - before,
                           (before + bytes + page - 1) / page * page);
    if (e != cudaSuccess) {
        free(m);
        return wjrt_error(e);
    }
    pthread_mutex_lock(&host.lock);
    m->next = host.first;
    host.first = m;
    pthread_mutex_unlock(&host.lock);
    return cudaSuccess;
}

cudaError_t
cudaHostUnregister(void *pointer)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *start = (char *)pointer - (uintptr_t)pointer % page;
    struct gpu_request q = {.op = GPU_FREE, .memory = {.address = (uintptr_t)start}};
    struct host_memory **link, *m;
    cudaError_t e;

    pthread_mutex_lock(&host.lock);
    link = host_find(pointer);
    m = *link;
    if (m != NULL && (m->start != pointer || !m->registered))
        m = NULL;
    if (m != NULL)
        *link = m->next;
    pthread_mutex_unlock(&host.lock);
    if (m == NULL)
        return wjrt_error(cudaErrorHostMemoryNotRegistered);
    e = wjrt_request(&q, NULL); /* this waits for work that was sent before */
    if (!replace_pages(start, m->mapped_bytes, -1) && e == cudaSuccess)
        e = cudaErrorMemoryAllocation;
    free(m);
    return wjrt_error(e);
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
    *device_pointer = pointer; /* the address is the same on both sides */
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
    *flags = cudaHostAllocMapped;
    return cudaSuccess;
}

/* --- what an address is ------------------------------------------------------------- */

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct gpu_request q = {.op = GPU_INFO, .memory = {.address = (uintptr_t)pointer}};
    struct gpu_reply reply;
    uint64_t kind;
    cudaError_t e = wjrt_connect();

    if (e != cudaSuccess)
        return wjrt_error(e);
    if (attributes == NULL)
        return wjrt_error(cudaErrorInvalidValue);
    *attributes =
        (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                       .device = -2, /* the value of NVIDIA's runtime */
                                       .hostPointer = (void *)pointer};
    e = wjrt_request(&q, &reply);
    if (e == cudaErrorInvalidValue) /* it is ordinary host memory */
        return cudaSuccess;
    if (e != cudaSuccess)
        return wjrt_error(e);
    kind = reply.value[2] % GPU_KINDS;
    attributes->device = (int)(reply.value[2] / GPU_KINDS);
    attributes->devicePointer = (void *)pointer;
    attributes->hostPointer = kind != GPU_MEMORY_DEVICE ? (void *)pointer : NULL;
    attributes->type = kind == GPU_MEMORY_DEVICE   ? cudaMemoryTypeDevice
                       : kind == GPU_MEMORY_PINNED ? cudaMemoryTypeHost
                                                   : cudaMemoryTypeManaged;
    return cudaSuccess;
}
