/* C = A + B: one correctly rounded float addition, so the answer is exact. */
__global__ static void
add(const float *A, const float *B, float *C, int N)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (size_t)N * (size_t)N;
         i += step)
        C[i] = __fadd_rn(A[i], B[i]);
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<4096, 256>>>(A, B, C, N);
}
