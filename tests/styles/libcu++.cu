// warpjudge: histogramming
// cuda::atomic_ref, cuda::std, cuda::barrier and a pipeline of libcu++.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/limits>

__global__ void histogram(const int *input, int *bins, int N, int num_bins)
{
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cuda::std::array<int, 1> own = {cuda::std::numeric_limits<int>::max()};

    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    if (i < N)
        own[0] = input[i];
    barrier.arrive_and_wait();
    if (i < N && own[0] < num_bins) {
        cuda::atomic_ref<int, cuda::thread_scope_device> bin(bins[own[0]]);

        bin.fetch_add(1, cuda::std::memory_order_relaxed);
    }
}

extern "C" void
solve(const int *input, int *histogram_out, int N, int num_bins)
{
    histogram<<<(N + 255) / 256, 256>>>(input, histogram_out, N, num_bins);
}
