// warpjudge: vector-addition
// expect: runtime_error
// says: a block has 1 to 1024 threads
// A launch that is refused.
__global__ void
va(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        C[i] = A[i] + B[i];
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    va<<<(N + 2047) / 2048, 2048>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
