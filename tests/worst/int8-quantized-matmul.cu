// warpjudge: int8-quantized-matmul
// A thread for each element; neighbours are a row apart.
__global__ void
each(const signed char *A, const signed char *B, signed char *C, int M, int N, int K, float scale_A, float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % M, column = i / M, sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < K; t++)
        sum += (A[row * K + t] - zero_point_A) * (B[t * N + column] - zero_point_B);
    int q = __float2int_rn(sum * scale_A * scale_B / scale_C) + zero_point_C;
    C[row * N + column] = q < -128 ? -128 : q > 127 ? 127 : q;
}

extern "C" void
solve(const signed char *A, const signed char *B, signed char *C, int M, int N, int K, float scale_A, float scale_B, float scale_C, int zero_point_A, int zero_point_B, int zero_point_C)
{
    each<<<(M * N + 255) / 256, 256>>>(A, B, C, M, N, K, scale_A, scale_B, scale_C, zero_point_A, zero_point_B, zero_point_C);
}
