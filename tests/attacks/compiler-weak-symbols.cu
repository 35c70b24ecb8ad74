// warpjudge: vector-addition
// attack: compiler: linker
// expect: accepted honest-time|wrong_answer|compile_error
// Weak definitions of what the runner calls.
extern "C" __attribute__((weak)) cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
extern "C" __attribute__((weak)) cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
