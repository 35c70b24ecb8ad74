// warpjudge: sgemm
// A thread for each element; neighbours are a row apart.
__global__ void
each(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M;
    float sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < K; t++)
        sum += A[row * K + t] * B[t * N + column];
    C[row * N + column] = alpha * sum + (beta != 0 ? beta * C[row * N + column] : 0);
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K, float alpha, float beta)
{
    each<<<(M * N + 255) / 256, 256>>>(A, B, C, M, N, K, alpha, beta);
}
