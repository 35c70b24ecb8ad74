/* C = A + B: one correctly rounded float addition, so the answer is exact. */
__global__ static void
add(const float *A, const float *B, float *C, int N)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N)
        C[i] = __fadd_rn(A[i], B[i]);
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
