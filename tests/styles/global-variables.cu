// warpjudge: reduction
// A sum in a __device__ variable, and its address by cudaGetSymbolAddress.
__device__ float total;
__device__ unsigned int blocks_done = 0;

__global__ void add_up(const float *input, float *output, int N)
{
    __shared__ float part;
    float sum = 0;

    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x)
        sum += input[i];
    atomicAdd(&part, sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&total, part);
        __threadfence();
        if (atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1)
            *output = atomicAdd(&total, 0.0f);
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    const float zero = 0;
    float *address;

    cudaMemcpyToSymbol(total, &zero, sizeof zero);
    cudaGetSymbolAddress((void **)&address, total);
    cudaMemset(address, 0, sizeof *address);
    add_up<<<64, 256>>>(input, output, N);
    cudaMemcpyFromSymbol(output, total, sizeof(float), 0, cudaMemcpyDeviceToDevice);
}
