// Calls of CUB and Thrust with too long a range, or one that nobody wrote.
#include <cstdio>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

struct twice {
    __device__ float
    operator()(float x) const
    {
        return 2 * x;
    }
};

int
main(int, char **argv)
{
    const int room = 1000, n = 2000;
    float *in, *out, *fresh;
    size_t bytes = 1 << 20;
    void *scratch;

    cudaMalloc(&in, room * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMalloc(&fresh, room * sizeof *fresh);
    cudaMalloc(&scratch, bytes);
    cudaMemset(in, 0, room * sizeof *in);
    switch (argv[1][0]) {
    case 'r':
        cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
        break;
    case 's':
        cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
        break;
    case 't':
        thrust::transform(thrust::cuda::par_nosync, in, in + n, out, twice());
        break;
    default:
        thrust::reduce(thrust::device, fresh, fresh + room);
    }
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
