// warpjudge: fused-linear-cross-entropy
// expect: accepted
// idea: The slowest way comes first, to measure the others against. Work on 512 rows at a time, so that the scores
//   of all are never stored, and give each element of a product one thread.
// A chunk of rows at a time: scores by a tiled product, softmax by a block for each row, then two
// more tiled products, of which the one for dW adds to what the chunks before have left there.
// H200: 163 ms
#include <cuda_runtime.h>

#define TILE 16
#define THREADS 256
#define CHUNK 512

// out[i][j] (+)= sum over k of a(i, k) * b(k, j), where a matrix is read at row * row_step +
// column * column_step: a transposed one needs no copy.
__global__ void
product(const float *a, size_t a_row, size_t a_column, const float *b, size_t b_row,
        size_t b_column, float *out, int rows, int columns, int inner, bool add)
{
    __shared__ float x[TILE][TILE + 1], y[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int i = blockIdx.y * TILE + ty, j = blockIdx.x * TILE + tx;
    float sum = 0.0f;

    for (int k0 = 0; k0 < inner; k0 += TILE) {
        x[ty][tx] =
            i < rows && k0 + tx < inner ? a[i * a_row + (k0 + tx) * a_column] : 0.0f;
        y[ty][tx] =
            k0 + ty < inner && j < columns ? b[(k0 + ty) * b_row + j * b_column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += x[ty][k] * y[k][tx];
        __syncthreads();
    }
    if (i < rows && j < columns) {
        size_t at = (size_t)i * columns + j;

        out[at] = add ? out[at] + sum : sum;
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
    const dim3 tile(TILE, TILE);
    int d_tiles = (D + TILE - 1) / TILE, v_tiles = (V + TILE - 1) / TILE;
    float *scores, *losses;

    cudaMalloc(&scores, (size_t)CHUNK * V * sizeof(float));
    cudaMalloc(&losses, N * sizeof(float));
    for (int n = 0; n < N; n += CHUNK) {
        int rows = N - n < CHUNK ? N - n : CHUNK, n_tiles = (rows + TILE - 1) / TILE;
        const float *x = X + (size_t)n * D;

        product<<<dim3(v_tiles, n_tiles), tile>>>(x, D, 1, W, 1, D, scores, rows, V, D, false);
        gradients<<<rows, THREADS>>>(scores, labels + n, losses + n, V);
        product<<<dim3(d_tiles, n_tiles), tile>>>(scores, V, 1, W, D, 1, dX + (size_t)n * D, rows,
                                                  D, V, false);
        product<<<dim3(d_tiles, v_tiles), tile>>>(scores, 1, V, x, D, 1, dW, V, D, rows, n > 0);
    }
    add_up<<<1, THREADS>>>(losses, loss, N);
    cudaFree(scores);
    cudaFree(losses);
}
