// warpjudge: batched-matrix-multiplication
// A thread for each element; neighbours are a row apart.
__global__ void
each(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M % N, batch = i / M / N;
    float sum = 0;

    if (batch >= BATCH)
        return;
    for (int t = 0; t < K; t++)
        sum += A[(batch * M + row) * K + t] * B[(batch * K + t) * N + column];
    C[(batch * M + row) * N + column] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int BATCH, int M, int N, int K)
{
    each<<<(BATCH * M * N + 255) / 256, 256>>>(A, B, C, BATCH, M, N, K);
}
