// warpjudge: fused-linear-cross-entropy
// expect: accepted
// not-modelled: the same; arithmetic is not the limit at that size
// idea: The multipliers for floats are busy now, and tensor cores idle. Make each float a sum of two halves, and let
//   tensor cores add up three products of halves.
// A half has eleven bits, which is too few. A float is the sum of a half and of the rest, which becomes a half as
// well: 22 bits. Of the four products of such pairs the smallest is left out. Factors are scaled by powers of two,
// so that their rests are no subnormal numbers. X and W are split once, and the gradients of the
// scores where they are made. Each factor comes as it lies in memory: ldmatrix turns the ones that need it.
// Tensor cores cut off what they add, always towards zero. So each slice has a sum of its own, which is added as
// floats.
// The softmax reads its row once for maximum and sum, which moves to a new maximum as it finds one.
// H200: 11 ms, 2.1 times as fast as step 3
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ROWS 128 // of a tile
#define COLUMNS 128
#define DEPTH 32
#define STAGES 3 // slices that are in shared memory or on their way
#define BLOCKS 1 // on a multiprocessor, at least
#define PAD 8 // halves behind each row: eight rows of 16 bytes meet all banks
#define THREADS 256 // 2 x 4 warps
#define OWN_ROWS (ROWS / 2) // of a warp
#define OWN_COLUMNS (COLUMNS / 4)
#define CHUNK 512
#define OF_X 16.0f // what the factors are multiplied by
#define OF_W 64.0f
#define OF_G 4096.0f

// Each float is high + low. Rows are `pitch` long, a multiple of 8, with zeros at their ends.
struct pairs {
    half *high, *low;
    int pitch;
};

// Of SIDE rows, or with TURNED of SIDE columns.
template <int SIDE, bool TURNED> struct part {
    static const int LINES = TURNED ? DEPTH : SIDE, LENGTH = TURNED ? SIDE : DEPTH;
    half high[LINES][LENGTH + PAD], low[LINES][LENGTH + PAD];
};

template <bool A_TURNED, bool B_TURNED> struct slice {
    part<ROWS, A_TURNED> a;
    part<COLUMNS, B_TURNED> b;
};

// Four 8 x 8 matrices: lane l names row l % 8 of matrix l / 8.
__device__ static void
load_matrices(uint32_t *to, const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

__device__ static void
load_matrices_turned(uint32_t *to, const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(row)));
}

// sum (16 x 8) += a (16 x 16) * b (16 x 8)
__device__ static void
multiply(float *sum, const uint32_t *a, const uint32_t *b)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Begins to copy a slice of a factor, from row r0 and inner index k0 on; zeros where there is nothing.
template <int SIDE, bool TURNED>
__device__ static void
load(part<SIDE, TURNED> *to, pairs from, int r0, int k0, int rows, int inner)
{
    const int EACH_LINE = part<SIDE, TURNED>::LENGTH / 8;

#pragma unroll
    for (int e = 0; e < SIDE * DEPTH / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, line = at / EACH_LINE, c = at % EACH_LINE * 8;
        int r = r0 + (TURNED ? c : line), k = k0 + (TURNED ? line : c);
        bool inside = r < rows && k < inner;
        size_t place = inside ? TURNED ? (size_t)k * from.pitch + r : (size_t)r * from.pitch + k : 0;

        __pipeline_memcpy_async(&to->high[line][c], from.high + place, 16, inside ? 0 : 16);
        __pipeline_memcpy_async(&to->low[line][c], from.low + place, 16, inside ? 0 : 16);
    }
}

// Left factors of 16 x 16: from row and inner index k on.
template <bool TURNED, int PITCH>
__device__ static void
load_left(uint32_t *to, const half (*from)[PITCH], int row, int k)
{
    int lane = threadIdx.x % 32;

    if (TURNED)
        load_matrices_turned(to, &from[k + lane / 16 * 8 + lane % 8][row + lane / 8 % 2 * 8]);
    else
        load_matrices(to, &from[row + lane % 16][k + lane / 16 * 8]);
}

// Right factors of 16 x 8, two of them: from column and inner index k on.
template <bool TURNED, int PITCH>
__device__ static void
load_right(uint32_t *to, const half (*from)[PITCH], int column, int k)
{
    int lane = threadIdx.x % 32;

    if (TURNED)
        load_matrices_turned(to, &from[k + lane % 16][column + lane / 16 * 8]);
    else
        load_matrices(to, &from[column + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8]);
}

template <bool A_TURNED, bool B_TURNED>
__device__ static void
add_products(float sum[OWN_ROWS / 16][OWN_COLUMNS / 8][4], const slice<A_TURNED, B_TURNED> *s, int row, int column)
{
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        uint32_t high[OWN_ROWS / 16][4], low[OWN_ROWS / 16][4];

#pragma unroll
        for (int i = 0; i < OWN_ROWS / 16; i++) {
            load_left<A_TURNED>(high[i], s->a.high, row + i * 16, k);
            load_left<A_TURNED>(low[i], s->a.low, row + i * 16, k);
        }
#pragma unroll
        for (int j = 0; j < OWN_COLUMNS / 8; j += 2) {
            uint32_t of_high[4], of_low[4];

            load_right<B_TURNED>(of_high, s->b.high, column + j * 8, k);
            load_right<B_TURNED>(of_low, s->b.low, column + j * 8, k);
#pragma unroll
            for (int i = 0; i < OWN_ROWS / 16; i++)
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    multiply(sum[i][j + e], low[i], of_high + e * 2);
                    multiply(sum[i][j + e], high[i], of_low + e * 2);
                    multiply(sum[i][j + e], high[i], of_high + e * 2);
                }
        }
    }
}

// out[i][j] (+)= scale * sum over k of a(i, k) * b(k, j). With ADD each of gridDim.z blocks adds `depth` of the sum.
template <bool A_TURNED, bool B_TURNED, bool ADD>
__global__ void
__launch_bounds__(THREADS, BLOCKS) product(pairs a, pairs b, float *out, int rows, int columns, int inner, int depth,
                                           float scale, bool across)
{
    extern __shared__ __align__(16) char shared[];
    slice<A_TURNED, B_TURNED> *slices = (slice<A_TURNED, B_TURNED> *)shared;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp % 2 * OWN_ROWS, column = warp / 2 * OWN_COLUMNS;
    int i0 = (across ? blockIdx.y : blockIdx.x) * ROWS, j0 = (across ? blockIdx.x : blockIdx.y) * COLUMNS;
    int begin = blockIdx.z * depth;
    int end = min(begin + depth, inner), count = (end - begin + DEPTH - 1) / DEPTH;
    float sum[OWN_ROWS / 16][OWN_COLUMNS / 8][4] = {};

    auto start = [&](int s) {
        if (s < count) {
            load(&slices[s % STAGES].a, a, i0, begin + s * DEPTH, rows, end);
            load(&slices[s % STAGES].b, b, j0, begin + s * DEPTH, columns, end);
        }
        __pipeline_commit();
    };

    for (int s = 0; s < STAGES - 1; s++)
        start(s);
    for (int s = 0; s < count; s++) {
        float part[OWN_ROWS / 16][OWN_COLUMNS / 8][4] = {};

        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // slice s is here for all, and slice s - 1 no longer read
        start(s + STAGES - 1);
        add_products(part, &slices[s % STAGES], row, column);
#pragma unroll
        for (int i = 0; i < OWN_ROWS / 16; i++)
#pragma unroll
            for (int j = 0; j < OWN_COLUMNS / 8; j++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    sum[i][j][e] += part[i][j][e];
    }
#pragma unroll
    for (int i = 0; i < OWN_ROWS / 16; i++)
#pragma unroll
        for (int j = 0; j < OWN_COLUMNS / 8; j++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int r = i0 + row + i * 16 + e / 2 * 8 + lane / 4, c = j0 + column + j * 8 + lane % 4 * 2 + e % 2;
                float *to = &out[(size_t)r * columns + c];

                if (r < rows && c < columns) {
                    if (ADD)
                        atomicAdd(to, sum[i][j][e] * scale);
                    else
                        *to = sum[i][j][e] * scale;
                }
            }
}

__device__ static void
split(pairs to, size_t at, float x, float y)
{
    half2 high = __floats2half2_rn(x, y);
    float2 back = __half22float2(high);

    *(half2 *)&to.high[at] = high;
    *(half2 *)&to.low[at] = __floats2half2_rn(x - back.x, y - back.y);
}

// Two columns for each thread.
__global__ void
split_rows(pairs to, const float *from, int rows, int columns, float scale)
{
    size_t at = ((size_t)blockIdx.x * THREADS + threadIdx.x) * 2;
    int r = at / to.pitch, c = at % to.pitch;
    const float *row = from + (size_t)r * columns;

    if (r < rows)
        split(to, at, c < columns ? row[c] * scale : 0.0f, c + 1 < columns ? row[c + 1] * scale : 0.0f);
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
gradients(pairs to, const float *scores, const int *labels, float *losses, int V)
{
    const float *z = scores + (size_t)blockIdx.x * V;
    float top = -INFINITY, sum = 0.0f, most, factor;
    int label = labels[blockIdx.x];

    for (int v = threadIdx.x; v < V; v += THREADS) {
        float x = z[v];

        if (x > top) {
            sum *= expf(top - x);
            top = x;
        }
        sum += expf(x - top);
    }
    most = block_join<true>(top);
    sum = block_join<false>(sum > 0.0f ? sum * expf(top - most) : 0.0f);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = label < 0 ? 0.0f : logf(sum) - (z[label] - most);
    factor = label < 0 ? 0.0f : OF_G / sum;
    for (int v = threadIdx.x * 2; v < to.pitch; v += THREADS * 2) {
        float x = v < V ? expf(z[v] - most) * factor : 0.0f;
        float y = v + 1 < V ? expf(z[v + 1] - most) * factor : 0.0f;

        if (label >= 0) {
            x -= v == label ? OF_G : 0.0f;
            y -= v + 1 == label ? OF_G : 0.0f;
        }
        split(to, (size_t)blockIdx.x * to.pitch + v, x, y);
    }
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

static pairs
make_pairs(int rows, int columns)
{
    pairs p = {nullptr, nullptr, (columns + 7) / 8 * 8};
    size_t size = (size_t)rows * p.pitch;

    cudaMalloc(&p.high, 2 * size * sizeof(half));
    p.low = p.high + size;
    return p;
}

static void
fill_pairs(pairs to, const float *from, int rows, int columns, float scale)
{
    size_t threads = (size_t)rows * to.pitch / 2;

    split_rows<<<(threads + THREADS - 1) / THREADS, THREADS>>>(to, from, rows, columns, scale);
}

// Blocks of neighbouring numbers share what L2 holds of the longer factor. The sum goes in parts if there are too
// few tiles.
template <bool A_TURNED, bool B_TURNED, bool ADD>
static void
launch(pairs a, pairs b, float *out, int rows, int columns, int inner, float scale)
{
    auto *kernel = product<A_TURNED, B_TURNED, ADD>;
    int bytes = STAGES * sizeof(slice<A_TURNED, B_TURNED>), processors, parts = 1, depth;
    int down = (rows + ROWS - 1) / ROWS, over = (columns + COLUMNS - 1) / COLUMNS;
    bool across = over < down;
    dim3 grid(across ? over : down, across ? down : over);

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (ADD)
        parts = max(1, min(BLOCKS * processors / (int)(grid.x * grid.y), inner / (8 * DEPTH)));
    depth = (inner + parts * DEPTH - 1) / (parts * DEPTH) * DEPTH;
    grid.z = (inner + depth - 1) / depth;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<grid, THREADS, bytes>>>(a, b, out, rows, columns, inner, depth, scale, across);
}

extern "C" void
solve(const float *X, const float *W, const int *labels, float *loss, float *dX, float *dW, int N,
      int D, int V)
{
    pairs x = make_pairs(N, D), w = make_pairs(V, D), g = make_pairs(CHUNK, V);
    float *scores, *losses;

    cudaMalloc(&scores, (size_t)CHUNK * V * sizeof(float));
    cudaMalloc(&losses, N * sizeof(float));
    cudaMemsetAsync(dX, 0, (size_t)N * D * sizeof(float));
    cudaMemsetAsync(dW, 0, (size_t)V * D * sizeof(float));
    fill_pairs(x, X, N, D, OF_X);
    fill_pairs(w, W, V, D, OF_W);
    for (int n = 0; n < N; n += CHUNK) {
        int rows = N - n < CHUNK ? N - n : CHUNK;
        pairs own = {x.high + (size_t)n * x.pitch, x.low + (size_t)n * x.pitch, x.pitch};

        launch<false, false, false>(own, w, scores, rows, V, D, 1.0f / (OF_X * OF_W));
        gradients<<<rows, THREADS>>>(g, scores, labels + n, losses + n, V);
        launch<false, true, true>(g, w, dX + (size_t)n * D, rows, D, V, 1.0f / (OF_G * OF_W));
        launch<true, true, true>(g, own, dW, V, D, rows, 1.0f / (OF_G * OF_X));
    }
    add_up<<<1, THREADS>>>(losses, loss, N);
    cudaFree(x.high);
    cudaFree(w.high);
    cudaFree(g.high);
    cudaFree(scores);
    cudaFree(losses);
}
