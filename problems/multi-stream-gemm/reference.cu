/* Sums in double, rounded once: all left matrices are one tall matrix, multiplied by tiles. */
#define TILE 16

__global__ static void
product(const float *A, const float *B, float *C, int rows, int N, int K)
{
    __shared__ double a[TILE][TILE], b[TILE][TILE + 1];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    int i = (int)(blockIdx.y * TILE + ty), j = (int)(blockIdx.x * TILE + tx);
    double sum = 0;

    for (int k0 = 0; k0 < K; k0 += TILE) {
        int kx = k0 + (int)tx, ky = k0 + (int)ty;

        a[ty][tx] = i < rows && kx < K ? A[(size_t)i * K + kx] : 0;
        b[ty][tx] = ky < K && j < N ? B[(size_t)ky * N + j] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[ty][k] * b[k][tx];
        __syncthreads();
    }
    if (i < rows && j < N)
        C[(size_t)i * N + j] = (float)sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    const int rows = batch * M;
    const size_t left = (size_t)rows * K * sizeof *A, right = (size_t)rows * N * sizeof *C;
    dim3 grid((unsigned)(N + TILE - 1) / TILE, (unsigned)(rows + TILE - 1) / TILE);
    float *a, *c;

    if (cudaMalloc(&a, left) != cudaSuccess ||
        cudaMalloc(&c, right) != cudaSuccess)
        return;
    cudaMemcpy(a, A, left, cudaMemcpyHostToDevice);
    product<<<grid, dim3(TILE, TILE)>>>(a, B, c, rows, N, K);
    cudaMemcpy(C, c, right, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(c);
}
