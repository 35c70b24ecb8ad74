// warpjudge: matrix-multiplication
// A thread for each element; neighbours are a row apart.
__global__ void
each(const float *A, const float *B, float *C, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M;
    float sum = 0;

    if (column >= K)
        return;
    for (int t = 0; t < N; t++)
        sum += A[row * N + t] * B[t * K + column];
    C[row * K + column] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    each<<<(M * K + 255) / 256, 256>>>(A, B, C, M, N, K);
}
