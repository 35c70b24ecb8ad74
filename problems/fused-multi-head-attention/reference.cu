/* The whole block in double, rounded once at the end. Three kernels: the projections are tiled
 * products; attention has a block for each token and head, which keeps its scores in global
 * memory. The sums are taken in the same order every time. */
#define TILE 16
#define THREADS 128

/* out[t][r] = b[r] + sum over e of w[r][e] * in[t][e] */
template <typename From, typename To>
__global__ static void
linear(const From *in, const float *w, const float *b, To *out, int tokens, int from, int to)
{
    __shared__ double a[TILE][TILE + 1], c[TILE][TILE + 1];
    int t = (int)(blockIdx.y * TILE + threadIdx.y), r = (int)(blockIdx.x * TILE + threadIdx.x);
    int row = (int)(blockIdx.x * TILE + threadIdx.y); /* of w, as it is loaded */
    double sum = 0;

    for (int e0 = 0; e0 < from; e0 += TILE) {
        int e = e0 + (int)threadIdx.x;

        a[threadIdx.y][threadIdx.x] = t < tokens && e < from ? in[(size_t)t * from + e] : 0;
        c[threadIdx.y][threadIdx.x] = row < to && e < from ? w[(size_t)row * from + e] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += a[threadIdx.y][k] * c[threadIdx.x][k];
        __syncthreads();
    }
    if (t < tokens && r < to)
        out[(size_t)t * to + r] = (To)(sum + b[r]);
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

/* Token blockIdx.x of head `head`: q, k and v are columns of u, whose rows hold 3 E. */
__global__ static void
attend(const double *u, double *scores, double *o, int S, int E, int D, int head)
{
    const double *q = u + (size_t)blockIdx.x * 3 * E + (size_t)head * D;
    const double *k = u + E + (size_t)head * D, *v = k + E;
    double *score = scores + (size_t)blockIdx.x * S;
    double top = -INFINITY, sum = 0;

    for (int j = (int)threadIdx.x; j < S; j += THREADS) {
        double s = 0;

        for (int d = 0; d < D; d++)
            s += q[d] * k[(size_t)j * 3 * E + d];
        score[j] = s / sqrt((double)D);
        top = fmax(top, score[j]);
    }
    top = block_join<true>(top);
    for (int j = (int)threadIdx.x; j < S; j += THREADS) {
        score[j] = exp(score[j] - top);
        sum += score[j];
    }
    sum = block_join<false>(sum);
    for (int d = (int)threadIdx.x; d < D; d += THREADS) {
        double mixed = 0;

        for (int j = 0; j < S; j++)
            mixed += score[j] * v[(size_t)j * 3 * E + d];
        o[(size_t)blockIdx.x * E + (size_t)head * D + d] = mixed / sum;
    }
}

extern "C" void
solve(const float *x, const float *W_qkv, const float *b_qkv, const float *W_o, const float *b_o,
      float *y, int S, int E, int H)
{
    size_t s = (size_t)S, w = (size_t)E;
    unsigned rows = (unsigned)(S + TILE - 1) / TILE;
    double *room;

    if (cudaMalloc(&room, (4 * s * w + s * s) * sizeof *room) != cudaSuccess)
        return;
    double *u = room, *o = u + 3 * s * w, *scores = o + s * w;

    linear<<<dim3((unsigned)(3 * E + TILE - 1) / TILE, rows), dim3(TILE, TILE)>>>(
        x, W_qkv, b_qkv, u, S, E, 3 * E);
    for (int h = 0; h < H; h++)
        attend<<<S, THREADS>>>(u, scores, o, S, E, E / H, h);
    linear<<<dim3((unsigned)(E + TILE - 1) / TILE, rows), dim3(TILE, TILE)>>>(o, W_o, b_o, y, S, E,
                                                                             E);
    cudaFree(room);
}
