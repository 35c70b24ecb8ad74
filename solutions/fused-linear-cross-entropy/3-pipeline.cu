// warpjudge: fused-linear-cross-entropy
// expect: accepted
// idea: Every slice is waited for, and shared memory is as busy as the multipliers. Give each thread 8 x 8 elements,
//   and copy the slices asynchronously, three of them ahead.
// Tiles of 128 x 128, from four slices that are there or on their way. Shared memory now gives four numbers for
// sixteen multiplications. There are few such tiles in the gradient of 512 rows, and their sums are long:
// blocks share them, and add their parts by atomics. So do the chunks of rows for the gradient of W.
// H200: 23 ms, 1.46 times as fast as step 2
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define TILE 128
#define DEPTH 8
#define PAD 4
#define OWN 8
#define STAGES 4 // slices that are in shared memory or on their way
#define THREADS 256
#define CHUNK 512

struct slice {
    float a[DEPTH][TILE + PAD], b[DEPTH][TILE + PAD];
};

// Begins to copy a slice of a factor: to[k][r] becomes what stands at from[r * pitch + k], or with
// TURNED at from[k * pitch + r]; zeros where there is nothing. EACH: floats of a copy.
template <bool TURNED, int EACH>
__device__ static void
load(float (*to)[TILE + PAD], const float *from, int pitch, int rows, int inner)
{
    const int BYTES = TURNED ? EACH * 4 : 4;

#pragma unroll
    for (int e = 0; e < TILE * DEPTH * 4 / BYTES / THREADS; e++) {
        int at = threadIdx.x + e * THREADS;
        int k = TURNED ? at * EACH / TILE : at % DEPTH, r = TURNED ? at * EACH % TILE : at / DEPTH;
        bool inside = r < rows && k < inner;

        size_t place = !inside ? 0 : TURNED ? (size_t)k * pitch + r : (size_t)r * pitch + k;

        __pipeline_memcpy_async(&to[k][r], from + place, BYTES, inside ? 0 : BYTES);
    }
}

__device__ static void
multiply(float sum[OWN][OWN], const slice *s, int row, int column)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
        float a[OWN], b[OWN];

#pragma unroll
        for (int e = 0; e < OWN; e += 4) {
            *(float4 *)&a[e] = *(const float4 *)&s->a[k][row + e * 4];
            *(float4 *)&b[e] = *(const float4 *)&s->b[k][column + e * 8];
        }
#pragma unroll
        for (int c = 0; c < OWN; c++)
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                int r = c % 2 ? OWN - 1 - i : i;

                sum[r][c] += a[r] * b[c];
            }
    }
}

// out[i][j] (+)= sum over k of a(i, k) * b(k, j). With ADD each of gridDim.z blocks adds `depth` of the sum.
template <bool A_TURNED, bool B_TURNED, bool ADD, int EACH>
__global__ void
__launch_bounds__(THREADS, 2) product(const float *a, int a_pitch, const float *b, int b_pitch, float *out,
                                      int rows, int columns, int inner, int depth, bool across)
{
    extern __shared__ __align__(16) char shared[];
    slice *slices = (slice *)shared;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int i0 = (across ? blockIdx.y : blockIdx.x) * TILE, j0 = (across ? blockIdx.x : blockIdx.y) * TILE;
    int begin = blockIdx.z * depth;
    int end = min(begin + depth, inner), count = (end - begin + DEPTH - 1) / DEPTH;
    int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 64 + lane % 8 * 4; // of 32 x 64 for a warp
    float sum[OWN][OWN] = {};

    auto start = [&](int s) {
        int k0 = begin + s * DEPTH;

        if (s < count) {
            load<A_TURNED, EACH>(slices[s % STAGES].a,
                                 A_TURNED ? a + (size_t)k0 * a_pitch + i0 : a + (size_t)i0 * a_pitch + k0, a_pitch,
                                 rows - i0, end - k0);
            load<B_TURNED, EACH>(slices[s % STAGES].b,
                                 B_TURNED ? b + (size_t)k0 * b_pitch + j0 : b + (size_t)j0 * b_pitch + k0, b_pitch,
                                 columns - j0, end - k0);
        }
        __pipeline_commit();
    };

    for (int s = 0; s < STAGES - 1; s++)
        start(s);
    for (int s = 0; s < count; s++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // slice s is here for all, and slice s - 1 no longer read
        start(s + STAGES - 1);
        multiply(sum, &slices[s % STAGES], row, column);
    }
#pragma unroll
    for (int r = 0; r < OWN; r++)
#pragma unroll
        for (int c = 0; c < OWN; c++) {
            int i = i0 + row + r % 4 + r / 4 * 16, j = j0 + column + c % 4 + c / 4 * 32;
            float *to = &out[(size_t)i * columns + j];

            if (i < rows && j < columns) {
                if (ADD)
                    atomicAdd(to, sum[r][c]);
                else
                    *to = sum[r][c];
            }
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

// Blocks of neighbouring numbers share what L2 holds of the longer factor. The sum goes in parts if there are too
// few tiles.
template <bool A_TURNED, bool B_TURNED, bool ADD>
static void
launch(const float *a, int a_pitch, const float *b, int b_pitch, float *out, int rows, int columns, int inner)
{
    bool aligned = a_pitch % 4 == 0 && b_pitch % 4 == 0;
    auto *kernel = aligned ? product<A_TURNED, B_TURNED, ADD, 4> : product<A_TURNED, B_TURNED, ADD, 1>;
    int bytes = STAGES * sizeof(slice), processors, parts = 1, depth;
    int down = (rows + TILE - 1) / TILE, over = (columns + TILE - 1) / TILE;
    bool across = over < down;
    dim3 grid(across ? over : down, across ? down : over);

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (ADD)
        parts = max(1, min(2 * processors / (int)(grid.x * grid.y), inner / (8 * DEPTH)));
    depth = (inner + parts * DEPTH - 1) / (parts * DEPTH) * DEPTH;
    grid.z = (inner + depth - 1) / depth;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<grid, THREADS, bytes>>>(a, a_pitch, b, b_pitch, out, rows, columns, inner, depth, across);
}

extern "C" void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX, float *dW, int N,
      int D, int V)
{
    float *scores, *losses;

    cudaMalloc(&scores, (size_t)CHUNK * V * sizeof(float));
    cudaMalloc(&losses, N * sizeof(float));
    cudaMemsetAsync(dX, 0, (size_t)N * D * sizeof(float));
    cudaMemsetAsync(dW, 0, (size_t)V * D * sizeof(float));
    for (int n = 0; n < N; n += CHUNK) {
        int rows = N - n < CHUNK ? N - n : CHUNK;
        const float *x = X + (size_t)n * D;

        launch<false, false, false>(x, D, W, D, scores, rows, V, D);
        gradients<<<rows, THREADS>>>(scores, labels + n, losses + n, V);
        launch<false, true, true>(scores, V, W, D, dX + (size_t)n * D, rows, D, V);
        launch<true, true, true>(scores, V, x, D, dW, V, D, rows);
    }
    add_up<<<1, THREADS>>>(losses, loss, N);
    cudaFree(scores);
    cudaFree(losses);
}
