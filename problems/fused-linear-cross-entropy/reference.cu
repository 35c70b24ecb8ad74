/* Scores, loss and gradients in double. The N x V matrix of scores is kept whole, as doubles (0.5
 * GiB at the benchmark's size); three tiled products, and between them a block for each row. The
 * sums are taken in the same order every time; each result is rounded once. */
#define TILE 16
#define THREADS 256

/*
 * out[i][j] = sum over k of a(i, k) * b(k, j). A matrix is read at row * row_step +
 * column * column_step, so that transposed ones need no copy.
 */
template <typename A, typename B, typename Out>
__global__ static void
product(const A *a, size_t a_row, size_t a_column, const B *b, size_t b_row, size_t b_column,
        Out *out, int rows, int columns, int inner)
{
    __shared__ double x[TILE][TILE + 1], y[TILE][TILE + 1];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    int i = (int)(blockIdx.y * TILE + ty), j = (int)(blockIdx.x * TILE + tx);
    double sum = 0;

    for (int k0 = 0; k0 < inner; k0 += TILE) {
        int kx = k0 + (int)tx, ky = k0 + (int)ty;

        x[ty][tx] = i < rows && kx < inner ? (double)a[i * a_row + kx * a_column] : 0;
        y[ty][tx] = ky < inner && j < columns ? (double)b[ky * b_row + j * b_column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += x[ty][k] * y[k][tx];
        __syncthreads();
    }
    if (i < rows && j < columns)
        out[(size_t)i * columns + j] = (Out)sum;
}

template <bool MAXIMUM>
__device__ static double
block_join(double value)
{
    __shared__ double tree[THREADS];
    unsigned t = threadIdx.x;

    __syncthreads(); /* the call before may still be reading */
    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] = MAXIMUM ? fmax(tree[t], tree[t + half]) : tree[t] + tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

/* Makes the scores of row blockIdx.x into their gradients, 0 in an ignored row. */
__global__ static void
gradients(double *scores, const int *labels, double *losses, int V)
{
    double *z = scores + (size_t)blockIdx.x * V, top = -INFINITY, sum = 0;
    int label = labels[blockIdx.x];

    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        top = fmax(top, z[v]);
    top = block_join<true>(top);
    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        sum += exp(z[v] - top);
    sum = block_join<false>(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = label < 0 ? 0 : log(sum) - (z[label] - top);
    __syncthreads(); /* before z[label] is written over */
    for (int v = (int)threadIdx.x; v < V; v += THREADS)
        z[v] = label < 0 ? 0 : exp(z[v] - top) / sum - (v == label);
}

__global__ static void
add_up(const double *losses, float *loss, int N)
{
    double sum = 0;

    for (int n = (int)threadIdx.x; n < N; n += THREADS)
        sum += losses[n];
    sum = block_join<false>(sum);
    if (threadIdx.x == 0)
        loss[0] = (float)sum;
}

extern "C" void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX, float *dW, int N,
      int D, int V)
{
    size_t n = (size_t)N, d = (size_t)D, v = (size_t)V;
    unsigned n_tiles = (unsigned)(N + TILE - 1) / TILE, d_tiles = (unsigned)(D + TILE - 1) / TILE;
    unsigned v_tiles = (unsigned)(V + TILE - 1) / TILE;
    const dim3 tile(TILE, TILE);
    double *scores, *losses;

    if (cudaMalloc(&scores, n * v * sizeof *scores) != cudaSuccess ||
        cudaMalloc(&losses, n * sizeof *losses) != cudaSuccess)
        return;
    product<<<dim3(v_tiles, n_tiles), tile>>>(X, d, 1, W, 1, d, scores, N, V, D);
    gradients<<<N, THREADS>>>(scores, labels, losses, V);
    add_up<<<1, THREADS>>>(losses, loss, N);
    product<<<dim3(d_tiles, n_tiles), tile>>>(scores, v, 1, W, d, 1, dX, N, D, V);
    product<<<dim3(d_tiles, v_tiles), tile>>>(scores, 1, v, X, d, 1, dW, V, D, N);
    cudaFree(scores);
    cudaFree(losses);
}
