// warpjudge: softmax
// Scratch memory by cudaMallocAsync, in a stream of its own.
#include <cfloat>

__device__ void atomic_max(float *at, float value)
{
    int *bits = (int *)at, old = *bits, assumed;

    while (__int_as_float(old) < value) {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
}
__global__ void begin(float *top, float *sum) { *top = -FLT_MAX; *sum = 0; }
__global__ void find_top(const float *input, float *top, int N)
{
    float most = -FLT_MAX;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        most = fmaxf(most, input[i]);
    atomic_max(top, most);
}
__global__ void add_up(const float *input, const float *top, float *sum, int N)
{
    float part = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        part += __expf(input[i] - *top);
    atomicAdd(sum, part);
}
__global__ void divide(const float *input, float *output, const float *top, const float *sum, int N)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        output[i] = __expf(input[i] - *top) / *sum;
}

extern "C" void
solve(const float *input, float *output, int N)
{
    cudaStream_t stream;
    float *top, *sum;

    cudaStreamCreate(&stream);
    cudaMallocAsync(&top, sizeof *top, stream);
    cudaMallocAsync((void **)&sum, sizeof *sum, stream);
    begin<<<1, 1, 0, stream>>>(top, sum);
    find_top<<<32, 256, 0, stream>>>(input, top, N);
    add_up<<<32, 256, 0, stream>>>(input, top, sum, N);
    divide<<<32, 256, 0, stream>>>(input, output, top, sum, N);
    cudaFreeAsync(top, stream);
    cudaFreeAsync(sum, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
