/*
 * Memory of graphs' allocation nodes (CUDA C++ Programming Guide, "Graph Memory
 * Nodes"). It has one address for all launches of its graph. A program may free it, in
 * a free node or by cudaFree after the launch. Another launch then allocates it anew.
 * So freeing does nothing here, and the memory stays until the device is reset.
 */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    const void **address;
    size_t count;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

cudaError_t
wjrt_graph_alloc(void **pointer, size_t bytes)
{
    cudaError_t e = wjrt_device_alloc(pointer, bytes, wjrt_device());
    const void **grown;

    if (e != cudaSuccess || *pointer == NULL)
        return e;
    pthread_mutex_lock(&memory.lock);
    grown = realloc(memory.address, (memory.count + 1) * sizeof *grown);
    if (grown != NULL) {
        memory.address = grown;
        memory.address[memory.count++] = *pointer;
    }
    pthread_mutex_unlock(&memory.lock);
    return grown != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}

bool
wjrt_is_graph_memory(const void *pointer)
{
    bool found = false;

    pthread_mutex_lock(&memory.lock);
    for (size_t i = 0; i < memory.count && !found; i++)
        found = memory.address[i] == pointer;
    pthread_mutex_unlock(&memory.lock);
    return found;
}

void
wjrt_forget_graph_memory(void)
{
    pthread_mutex_lock(&memory.lock);
    memory.count = 0;
    pthread_mutex_unlock(&memory.lock);
}
