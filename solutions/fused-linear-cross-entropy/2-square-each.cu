// warpjudge: fused-linear-cross-entropy
// expect: accepted
// not-modelled: at the size on emu few multiprocessors have a block, and a larger tile takes longer
// idea: A thread loads two numbers from shared memory for each multiplication. Let it make 4 x 4 elements, so that
//   two loads of four numbers serve sixteen multiplications.
// All three products take tiles of 64 x 64. In shared memory a slice of both factors lies with the inner
// index slowest, so that what a thread needs lies side by side. Which threads load what follows the layout in
// memory, so that a warp reads neighbours of a transposed factor, too.
// H200: 33.5 ms, 4.9 times as fast as step 1
#include <cuda_runtime.h>

#define TILE 64
#define DEPTH 16
#define PAD 4
#define OWN 4
#define THREADS 256
#define CHUNK 512

// A slice of a factor: to[k][r] becomes what stands at from[r * pitch + k], or with TURNED at
// from[k * pitch + r]; zeros where there is nothing. All loads are on their way before the first one is stored.
template <bool TURNED>
__device__ static void
load(float (*to)[TILE + PAD], const float *from, int pitch, int rows, int inner)
{
    const int EACH = TILE * DEPTH / THREADS;
    float own[EACH];

#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int e = threadIdx.x + i * THREADS, k = TURNED ? e / TILE : e % DEPTH, r = TURNED ? e % TILE : e / DEPTH;

        k = min(k, inner - 1), r = min(r, rows - 1);
        own[i] = from[TURNED ? (size_t)k * pitch + r : (size_t)r * pitch + k];
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        int e = threadIdx.x + i * THREADS, k = TURNED ? e / TILE : e % DEPTH, r = TURNED ? e % TILE : e / DEPTH;

        to[k][r] = r < rows && k < inner ? own[i] : 0.0f;
    }
}

// out[i][j] (+)= sum over k of a(i, k) * b(k, j)
template <bool A_TURNED, bool B_TURNED>
__global__ void
__launch_bounds__(THREADS) product(const float *a, int a_pitch, const float *b, int b_pitch, float *out,
                                   int rows, int columns, int inner, bool add)
{
    __shared__ __align__(16) float x[DEPTH][TILE + PAD], y[DEPTH][TILE + PAD];
    int i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE;
    int row = threadIdx.x / 16 * OWN, column = threadIdx.x % 16 * OWN;
    float sum[OWN][OWN] = {};

    for (int k0 = 0; k0 < inner; k0 += DEPTH) {
        load<A_TURNED>(x, A_TURNED ? a + (size_t)k0 * a_pitch + i0 : a + (size_t)i0 * a_pitch + k0, a_pitch,
                       rows - i0, inner - k0);
        load<B_TURNED>(y, B_TURNED ? b + (size_t)k0 * b_pitch + j0 : b + (size_t)j0 * b_pitch + k0, b_pitch,
                       columns - j0, inner - k0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float4 u = *(const float4 *)&x[k][row], v = *(const float4 *)&y[k][column];
            float of_a[OWN] = {u.x, u.y, u.z, u.w}, of_b[OWN] = {v.x, v.y, v.z, v.w};

#pragma unroll
            for (int r = 0; r < OWN; r++)
#pragma unroll
                for (int c = 0; c < OWN; c++)
                    sum[r][c] += of_a[r] * of_b[c];
        }
        __syncthreads();
    }
    for (int r = 0; r < OWN; r++)
        for (int c = 0; c < OWN; c++) {
            int i = i0 + row + r, j = j0 + column + c;
            size_t at = (size_t)i * columns + j;

            if (i < rows && j < columns)
                out[at] = add ? out[at] + sum[r][c] : sum[r][c];
        }
}

template <bool MAXIMUM>
__device__ float
block_join(float value)
{
    __shared__ float tree[THREADS];
    int t = threadIdx.x;

    __syncthreads(); // the call before may still be reading
    tree[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = MAXIMUM ? fmaxf(tree[t], tree[t + half]) : tree[t] + tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

// Makes the scores of a row into their gradients, 0 in an ignored row.
__global__ void
gradients(float *scores, const int *labels, float *losses, int V)
{
    float *z = scores + (size_t)blockIdx.x * V, top = -INFINITY, sum = 0.0f;
    int label = labels[blockIdx.x];

    for (int v = threadIdx.x; v < V; v += THREADS)
        top = fmaxf(top, z[v]);
    top = block_join<true>(top);
    for (int v = threadIdx.x; v < V; v += THREADS)
        sum += expf(z[v] - top);
    sum = block_join<false>(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = label < 0 ? 0.0f : logf(sum) - (z[label] - top);
    __syncthreads(); // before z[label] is written over
    for (int v = threadIdx.x; v < V; v += THREADS)
        z[v] = label < 0 ? 0.0f : expf(z[v] - top) / sum - (v == label ? 1.0f : 0.0f);
}

__global__ void
add_up(const float *losses, float *loss, int N)
{
    float sum = 0.0f;

    for (int n = threadIdx.x; n < N; n += THREADS)
        sum += losses[n];
    sum = block_join<false>(sum);
    if (threadIdx.x == 0)
        loss[0] = sum;
}

extern "C" void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX, float *dW, int N,
      int D, int V)
{
    int d_tiles = (D + TILE - 1) / TILE, v_tiles = (V + TILE - 1) / TILE;
    float *scores, *losses;

    cudaMalloc(&scores, (size_t)CHUNK * V * sizeof(float));
    cudaMalloc(&losses, N * sizeof(float));
    for (int n = 0; n < N; n += CHUNK) {
        int rows = N - n < CHUNK ? N - n : CHUNK, n_tiles = (rows + TILE - 1) / TILE;
        const float *x = X + (size_t)n * D;

        product<false, false><<<dim3(v_tiles, n_tiles), THREADS>>>(x, D, W, D, scores, rows, V, D, false);
        gradients<<<rows, THREADS>>>(scores, labels + n, losses + n, V);
        product<false, true><<<dim3(d_tiles, n_tiles), THREADS>>>(scores, V, W, D, dX + (size_t)n * D, rows, D, V,
                                                                  false);
        product<true, true><<<dim3(d_tiles, v_tiles), THREADS>>>(scores, V, x, D, dW, V, D, rows, n > 0);
    }
    add_up<<<1, THREADS>>>(losses, loss, N);
    cudaFree(scores);
    cudaFree(losses);
}
