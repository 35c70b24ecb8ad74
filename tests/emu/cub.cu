// CUB's and Thrust's device algorithms. They choose their launch by cudaFuncGetAttributes' ptxVersion,
// which must be the architecture that nvcc was told, whatever the device is.
#include <cub/device/device_reduce.cuh>
#include <cstdio>
#include <thrust/device_ptr.h>
#include <thrust/scan.h>

int
main()
{
    const int n = 10000;
    int *in, *out, total = 0, last = 0;
    size_t bytes = 0;
    void *scratch;

    cudaMallocManaged(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    for (int i = 0; i < n; i++)
        in[i] = i;
    cudaError_t sized = cub::DeviceReduce::Sum(nullptr, bytes, in, out, n);
    cudaMalloc(&scratch, bytes);
    cudaError_t summed = cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
    cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
    thrust::device_ptr<int> from(in), to(out);
    thrust::inclusive_scan(from, from + n, to);
    cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    printf("%s %s %d %d\n", cudaGetErrorName(sized), cudaGetErrorName(summed), total, last);
    return 0;
}
