/*
 * Both halves of the sum in double, rounded once: each GPU multiplies what it has, GPU 0 gets
 * the other's partial product, adds, and sends GPU 1 the result. Copies need no peer access.
 *
 * A block of 16 x 16 threads makes a tile of 128 x 64, each thread 8 x 4 of it in registers.
 * The slices of X and W become doubles when they are stored in shared memory: a conversion
 * per use would cost more than the multiplications. The next slices are fetched while these
 * are multiplied.
 */
#include <cuda_runtime.h>

#define TILE_M 128
#define TILE_N 64
#define DEPTH 8 /* of the inner dimension at a time */
#define OWN_M 8
#define OWN_N 4
#define THREADS 256
#define FETCH_X (TILE_M * DEPTH / THREADS) /* elements that each thread fetches */
#define FETCH_W (TILE_N * DEPTH / THREADS)

__global__ static void __launch_bounds__(THREADS, 2)
multiply(const float *__restrict__ X, const float *__restrict__ W, double *__restrict__ P, int M,
         int N, int K)
{
    __shared__ double x[DEPTH][TILE_M + 2]; /* transposed; 2: spreads the stores over banks */
    __shared__ double w[DEPTH][TILE_N];
    const int thread = (int)threadIdx.x, tx = thread % 16, ty = thread / 16;
    const int row0 = (int)blockIdx.y * TILE_M, column0 = (int)blockIdx.x * TILE_N;
    double sum[OWN_M][OWN_N] = {};
    float next_x[FETCH_X], next_w[FETCH_W];

    auto fetch = [&](int k0) {
        for (int f = 0; f < FETCH_X; f++) {
            int e = thread + THREADS * f, row = row0 + e / DEPTH, k = k0 + e % DEPTH;

            next_x[f] = row < M && k < K ? X[(size_t)row * K + k] : 0.0f;
        }
        for (int f = 0; f < FETCH_W; f++) {
            int e = thread + THREADS * f, k = k0 + e / TILE_N, column = column0 + e % TILE_N;

            next_w[f] = k < K && column < N ? W[(size_t)k * N + column] : 0.0f;
        }
    };

    fetch(0);
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        for (int f = 0; f < FETCH_X; f++) {
            int e = thread + THREADS * f;

            x[e % DEPTH][e / DEPTH] = (double)next_x[f];
        }
        for (int f = 0; f < FETCH_W; f++) {
            int e = thread + THREADS * f;

            w[e / TILE_N][e % TILE_N] = (double)next_w[f];
        }
        __syncthreads();
        fetch(k0 + DEPTH); /* beyond the end: zeros that nobody uses */
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            double a[OWN_M], b[OWN_N];

#pragma unroll
            for (int r = 0; r < OWN_M; r++)
                a[r] = x[k][ty * OWN_M + r];
#pragma unroll
            for (int c = 0; c < OWN_N; c++)
                b[c] = w[k][tx + 16 * c];
#pragma unroll
            for (int r = 0; r < OWN_M; r++)
#pragma unroll
                for (int c = 0; c < OWN_N; c++)
                    sum[r][c] += a[r] * b[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN_M; r++) {
        int row = row0 + ty * OWN_M + r;

        for (int c = 0; c < OWN_N; c++) {
            int column = column0 + tx + 16 * c;

            if (row < M && column < N)
                P[(size_t)row * N + column] = sum[r][c];
        }
    }
}

__global__ static void
add(const double *mine, const double *theirs, float *Y, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        Y[i] = (float)(mine[i] + theirs[i]);
}

extern "C" void
solve(const float *X0, const float *X1, const float *W0, const float *W1, float *Y0, float *Y1,
      int M, int N, int K)
{
    const float *X[2] = {X0, X1}, *W[2] = {W0, W1};
    const size_t count = (size_t)M * N;
    double *partial[2], *theirs;
    dim3 grid((unsigned)(N + TILE_N - 1) / TILE_N, (unsigned)(M + TILE_M - 1) / TILE_M);

    for (int gpu = 1; gpu >= 0; gpu--) {
        cudaSetDevice(gpu);
        if (cudaMalloc(&partial[gpu], count * sizeof(double)) != cudaSuccess)
            return;
        multiply<<<grid, THREADS>>>(X[gpu], W[gpu], partial[gpu], M, N, K);
    }
    if (cudaMalloc(&theirs, count * sizeof(double)) != cudaSuccess)
        return;
    cudaSetDevice(1);
    cudaDeviceSynchronize();
    cudaSetDevice(0);
    cudaMemcpyPeer(theirs, 0, partial[1], 1, count * sizeof(double));
    add<<<(unsigned)((count + 255) / 256), 256>>>(partial[0], theirs, Y0, count);
    cudaDeviceSynchronize();
    cudaMemcpyPeer(Y1, 1, Y0, 0, count * sizeof(float));
    cudaFree(theirs);
    cudaFree(partial[0]);
    cudaSetDevice(1);
    cudaFree(partial[1]);
    cudaSetDevice(0);
}
