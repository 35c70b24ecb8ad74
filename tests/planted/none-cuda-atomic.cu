// bug: none
// A message behind a cuda::atomic flag, released and acquired.
#include "planted.h"
#include <cuda/atomic>

__device__ cuda::atomic<int, cuda::thread_scope_device> ready;
__device__ int message;

__global__ void
send(int *out)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        message = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        *out = message;
    }
}

int
main()
{
    send<<<2, 32>>>(fresh<int>(1));
    return finish();
}
