// warpjudge: vector-addition
// Launches by cudaLaunchKernel and cudaLaunchKernelEx, without angle brackets.
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int half = N / 2, rest = N - half;
    const float *a = A + half, *b = B + half;
    float *c = C + half;
    void *args[] = {&a, &b, &c, &rest};
    cudaLaunchConfig_t config = {};

    cudaLaunchKernel((const void *)add, dim3((rest + 255) / 256), dim3(256), args, 0, nullptr);
    config.gridDim = dim3((half + 255) / 256 + 1);
    config.blockDim = dim3(256);
    cudaLaunchKernelEx(&config, add, A, B, C, half);
}
