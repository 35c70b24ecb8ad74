// warpjudge: parallel-merge
// expect: wrong_answer
// Both sides count only the smaller ones: of equal numbers one is written over the other, and a
// place stays unwritten.
#include <cuda_runtime.h>

__device__ int
lower_bound(const float *sorted, int count, float value)
{
    int low = 0, high = count;

    while (low < high) {
        int middle = (low + high) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void
merge(const float *A, const float *B, float *C, int M, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = i - M;

    if (i < M)
        C[i + lower_bound(B, N, A[i])] = A[i];
    else if (j < N)
        C[j + lower_bound(A, M, B[j])] = B[j];
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N)
{
    merge<<<(M + N + 255) / 256, 256>>>(A, B, C, M, N);
}
