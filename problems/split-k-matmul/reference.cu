/* Each element in double, rounded once. A block for each row of C and part of the inner
 * dimension, with one thread for each column; then one thread for each element adds up the
 * parts, in their order. */
#define SIDE 64 /* the most rows and columns */
#define PARTS 256

__device__ static double part_sum[PARTS][SIDE][SIDE];

__global__ static void
multiply(const float *A, const float *B, int N, int K, int depth)
{
    int m = (int)blockIdx.x, n = (int)threadIdx.x;
    int begin = (int)blockIdx.y * depth, end = min(begin + depth, K);
    double sum = 0;

    for (int k = begin; k < end; k++)
        sum += (double)A[(size_t)m * K + k] * B[(size_t)k * N + n];
    part_sum[blockIdx.y][m][n] = sum;
}

__global__ static void
join(float *C, int N)
{
    double sum = 0;

    for (int part = 0; part < PARTS; part++)
        sum += part_sum[part][blockIdx.x][threadIdx.x];
    C[blockIdx.x * N + threadIdx.x] = (float)sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int M, int N, int K)
{
    dim3 grid((unsigned)M, PARTS);

    multiply<<<grid, N>>>(A, B, N, K, (K + PARTS - 1) / PARTS);
    join<<<M, N>>>(C, N);
}
