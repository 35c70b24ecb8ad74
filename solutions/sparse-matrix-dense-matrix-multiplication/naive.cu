// warpjudge: sparse-matrix-dense-matrix-multiplication
// expect: accepted
// A block for each row of A and 256 columns: an entry that is 0 is 0 for the whole block, which
// passes it over together.
#include <cuda_runtime.h>

__global__ void
rows(const float *A, const float *B, float *C, int N, int K)
{
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (j >= K)
        return;
    for (int n = 0; n < N; n++) {
        float a = A[(size_t)i * N + n];

        if (a != 0.0f)
            sum += a * B[(size_t)n * K + j];
    }
    C[(size_t)i * K + j] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, int nnz)
{
    rows<<<dim3((K + 255) / 256, M), 256>>>(A, B, C, N, K);
}
