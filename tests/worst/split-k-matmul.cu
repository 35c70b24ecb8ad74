// warpjudge: split-k-matmul
// A thread for each element, and one loop over all of K.
__global__ void
each(const float *A, const float *B, float *C, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M;
    double sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < K; t++)
        sum += A[row * K + t] * B[t * N + column];
    C[row * N + column] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    each<<<(M * N + 255) / 256, 256>>>(A, B, C, M, N, K);
}
