// warpjudge: fused-linear-cross-entropy
// needs: sm_90a
// expect: accepted
// idea: Factors pass through registers on their way to the tensor cores, which are busy for four of ten cycles. On
//   Hopper, let groups of four warps multiply straight from shared memory.
// Four warps together multiply 64 x 16 by 16 x 128 with wgmma, which reads both factors from shared memory, turned
// or not. Asynchronous copies leave them there in the order that wgmma wants: lines of 128 bytes, whose
// pieces of 16 bytes are swizzled. All threads order the products of a slice, and then bring the next one. The
// slice's own sum is added to that of all when the next slice begins.
// H200: 8.44 ms, 1.31 times as fast as step 4
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ROWS 128 // of a tile: two groups of four warps have 64 each
#define COLUMNS 128
#define DEPTH 64 // halves of a line of 128 bytes
#define THREADS 256
#define CHUNK 512
#define OF_X 16.0f // what the factors are multiplied by
#define OF_W 64.0f
#define OF_G 4096.0f
#define SLAB 8192 // 64 lines

// Each float is high + low. Rows are `pitch` long, a multiple of 8, with zeros at their ends.
struct pairs {
    half *high, *low;
    int pitch;
};

// Slabs of 64 lines of 128 bytes, whose pieces of 16 bytes are swizzled. A line is a row's; of a turned
// factor it is that of an inner index, and a slab has 64 rows.
struct slice {
    char a_high[ROWS * DEPTH * 2], a_low[ROWS * DEPTH * 2];
    char b_high[COLUMNS * DEPTH * 2], b_low[COLUMNS * DEPTH * 2];
};

template <int SIDE, bool TURNED>
__device__ static void
load(char *high, char *low, pairs from, int r0, int k0, int rows, int inner)
{
#pragma unroll
    for (int e = 0; e < SIDE * DEPTH / 8 / THREADS; e++) {
        int at = threadIdx.x + e * THREADS, line = at / 8, piece = at % 8;
        int r = r0 + (TURNED ? line / 64 * 64 + piece * 8 : line), k = k0 + (TURNED ? line % 64 : piece * 8);
        bool inside = r < rows && k < inner;
        size_t place = inside ? TURNED ? (size_t)k * from.pitch + r : (size_t)r * from.pitch + k : 0;
        int to = line * 128 + (piece ^ line % 8) * 16;

        __pipeline_memcpy_async(high + to, from.high + place, 16, inside ? 0 : 16);
        __pipeline_memcpy_async(low + to, from.low + place, 16, inside ? 0 : 16);
    }
}

// Descriptor of lines of 128 bytes, swizzled: slabs are SLAB bytes apart, groups of eight lines 1024.
__device__ static uint64_t
describe(const char *at)
{
    return ((uint32_t)__cvta_generic_to_shared(at) & 0x3FFFF) >> 4 | (uint64_t)(SLAB >> 4) << 16 |
           (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define FOUR(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define SIXTEEN(s, i) FOUR(s, i), FOUR(s, i + 4), FOUR(s, i + 8), FOUR(s, i + 12)
#define SIXTY_FOUR(s) SIXTEEN(s, 0), SIXTEEN(s, 16), SIXTEEN(s, 32), SIXTEEN(s, 48)

// sum (64 x 128) += a (64 x 16) * b (16 x 128)
template <bool A_TURNED, bool B_TURNED>
__device__ static void
multiply(float *sum, uint64_t a, uint64_t b, int add)
{
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, %68, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
        "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
        "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, add, 1, 1, %66, %67;\n"
        "}"
        : SIXTY_FOUR(sum)
        : "l"(a), "l"(b), "n"(A_TURNED ? 1 : 0), "n"(B_TURNED ? 1 : 0), "r"(add));
}

template <bool A_TURNED, bool B_TURNED>
__device__ static void
begin_products(float *sum, const slice *s, int group)
{
    const int A_STEP = A_TURNED ? 2048 : 32, B_STEP = B_TURNED ? 2048 : 32;

    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < DEPTH / 16; k++) {
        uint64_t high = describe(s->a_high + group * SLAB + k * A_STEP);
        uint64_t low = describe(s->a_low + group * SLAB + k * A_STEP);
        uint64_t of_high = describe(s->b_high + k * B_STEP), of_low = describe(s->b_low + k * B_STEP);

        multiply<A_TURNED, B_TURNED>(sum, low, of_high, k > 0);
        multiply<A_TURNED, B_TURNED>(sum, high, of_low, 1);
        multiply<A_TURNED, B_TURNED>(sum, high, of_high, 1);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// out[i][j] (+)= scale * sum over k of a(i, k) * b(k, j). With ADD each of gridDim.z blocks adds `depth` of the sum.
template <bool A_TURNED, bool B_TURNED, bool ADD>
__global__ void
__launch_bounds__(THREADS, 1) product(pairs a, pairs b, float *out, int rows, int columns, int inner, int depth,
                                      float scale, bool across)
{
    extern __shared__ __align__(1024) char shared[];
    slice *slices = (slice *)shared;
    int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    int i0 = (across ? blockIdx.y : blockIdx.x) * ROWS, j0 = (across ? blockIdx.x : blockIdx.y) * COLUMNS;
    int begin = blockIdx.z * depth;
    int end = min(begin + depth, inner), count = (end - begin + DEPTH - 1) / DEPTH;
    float sum[64] = {}, part[64] = {};

    auto start = [&](int s) {
        slice *to = &slices[s % 2];

        if (s < count) {
            load<ROWS, A_TURNED>(to->a_high, to->a_low, a, i0, begin + s * DEPTH, rows, end);
            load<COLUMNS, B_TURNED>(to->b_high, to->b_low, b, j0, begin + s * DEPTH, columns, end);
        }
        __pipeline_commit();
    };

    start(0);
    for (int s = 0; s < count; s++) {
        __pipeline_wait_prior(0);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : SIXTY_FOUR(part)::"memory");
        __syncthreads(); // slice s is here for all, and slice s - 1 no longer read
#pragma unroll
        for (int e = 0; e < 64; e++)
            sum[e] += part[e];
        begin_products<A_TURNED, B_TURNED>(part, &slices[s % 2], group);
        start(s + 1);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" : SIXTY_FOUR(part)::"memory");
#pragma unroll
    for (int e = 0; e < 64; e++)
        sum[e] += part[e];
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) {
            int r = i0 + group * 64 + warp * 16 + e / 2 * 8 + lane / 4, c = j0 + j * 8 + lane % 4 * 2 + e % 2;
            float *to = &out[(size_t)r * columns + c];

            if (r < rows && c < columns) {
                if (ADD)
                    atomicAdd(to, sum[j * 4 + e] * scale);
                else
                    *to = sum[j * 4 + e] * scale;
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
    int bytes = 2 * sizeof(slice), processors, parts = 1, depth;
    int down = (rows + ROWS - 1) / ROWS, over = (columns + COLUMNS - 1) / COLUMNS;
    bool across = over < down;
    dim3 grid(across ? over : down, across ? down : over);

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (ADD)
        parts = max(1, min(processors / (int)(grid.x * grid.y), inner / (8 * DEPTH)));
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
