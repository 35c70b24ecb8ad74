// Kernels for tests/unit/test_exec*.c. After a change:
//   nvcc -arch=compute_80 -lineinfo --ptx kernels.cu -o kernels.ptx
// and make the .file lines relative.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace cg = cooperative_groups;
using namespace nvcuda;

extern "C" __global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void add_strided(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = (i % 32) * (n / 32) + i / 32;
    if (i < n)
        c[j] = a[j] + b[j];
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + col];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

extern "C" __global__ void reduce(const float *a, float *out, int n)
{
    __shared__ float part[32];
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += a[i];
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d >>= 1)
            s += __shfl_down_sync(~0u, s, d);
        if (threadIdx.x == 0)
            atomicAdd(out, s);
    }
}

extern "C" __global__ void histogram_global(const int *a, int *h, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&h[a[i]], 1);
}

extern "C" __global__ void histogram_shared(const int *a, int *h, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&s[a[i]], 1);
    __syncthreads();
    atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}

// --- control flow -----------------------------------------------------------------------

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x & 15);
}

extern "C" __global__ void divergence(int *out)
{
    int i = threadIdx.x, s = 0;
    for (int k = 0; k < i; k++) {
        if (k % 3 == 0)
            continue;
        if (k == 20)
            break;
        s += k;
        switch (k & 3) {
        case 0: s++; break;
        case 1: s += 2; break;
        case 2: s ^= 5; break;
        default: s -= 1;
        }
    }
    out[i] = s;
}

__device__ int plus_one(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ int (*table[2])(int) = {plus_one, twice};

extern "C" __global__ void indirect(int *out)
{
    out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x);
}

extern "C" __global__ void spin_lock(int *lock, int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            count[0]++;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

extern "C" __global__ void wait_for_later_block(volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        while (*flag == 0)
            ;
        out[0] = 42;
    } else if (blockIdx.x == gridDim.x - 1) {
        *flag = 1;
    }
}

// --- warps ------------------------------------------------------------------------------

extern "C" __global__ void warp_functions(int *out)
{
    int i = threadIdx.x, v;
    if (i & 1)
        v = __shfl_xor_sync(0xffffffff, i * 10, 1);
    else
        v = __shfl_xor_sync(0xffffffff, i * 10, 1);
    out[i] = v + (__syncthreads_count(i & 1) << 16) + (__syncthreads_or(i == 7) << 30);
    out[i] ^= __ballot_sync(~0u, i % 3 == 0);
    out[i] += __reduce_add_sync(~0u, i) + __match_any_sync(~0u, i / 4);
}

extern "C" __global__ void groups(int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = threadIdx.x;
    for (int d = 4; d > 0; d >>= 1)
        v += tile.shfl_down(v, d);
    v = tile.shfl(v, 0);
    block.sync();
    out[threadIdx.x] = v;
    if (threadIdx.x & 1)
        out[threadIdx.x] += cg::coalesced_threads().thread_rank() * 100000;
}

extern "C" __global__ void tensor(const half *a, const half *b, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

// --- arithmetic -------------------------------------------------------------------------

extern "C" __global__ void integers(const long long *a, long long *out)
{
    int i = threadIdx.x;
    long long x = a[i];
    out[i] = x / 7 + x % 13 + __mul64hi(x, x) + __popcll(x) + __clzll(x) + (x >> 3) +
             ((unsigned long long)x >> 5) + min(x, 5ll) + llabs(x) + (int)x / 3 +
             __byte_perm((int)x, i, 0x5140) + __dp4a((int)x, i, 7);
    __int128 t = (__int128)x * x + x;
    out[i] += (long long)(t >> 60);
}

extern "C" __global__ void rounding(const float *a, unsigned *out)
{
    int i = threadIdx.x;
    float x = a[i];
    unsigned *o = out + 8 * i;
    o[0] = __float_as_uint(__fadd_rz(x, 1e-8f));
    o[1] = __float_as_uint(__fadd_ru(x, 1e-8f));
    o[2] = __float_as_uint(__fmaf_rd(x, x, 1e-8f));
    o[3] = __float_as_uint(__fdiv_rn(x, 3.0f));
    o[4] = __float_as_uint(__fsqrt_rn(fabsf(x)));
    o[5] = __float2int_rn(x);
    o[6] = __float2int_rd(x);
    o[7] = __half_as_ushort(__float2half(x)) << 16 | __bfloat16_as_ushort(__float2bfloat16(x));
}

// What an H200 does with zeros, subnormals and huge divisors.
extern "C" __global__ void corners(const double *a, float *cell, unsigned long long *o)
{
    unsigned r;
    unsigned short h;
    double d;
    o[0] = __double_as_longlong(rsqrt(a[0]));
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(d) : "d"(a[1]));
    o[1] = __double_as_longlong(d);
    float zero = cell[2];
    asm("{.reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "f"(zero));
    o[2] = r;
    o[3] = __float_as_uint(__fdividef(cell[3], -cell[3]));
    atomicAdd(cell, cell[1]);
    __shared__ float s;
    s = cell[4];
    atomicAdd(&s, cell[1]);
    o[4] = __float_as_uint(s);
    asm("cvt.rn.relu.f16.f32 %0, %1;" : "=h"(h) : "f"(-zero));
    o[5] = h;
    asm("fma.rn.relu.f16x2 %0, %1, %2, %2;" : "=r"(r) : "r"(0x3c003c00u), "r"(0x80008000u | __float_as_uint(zero)));
    o[6] = r;
    asm("mad.hi.s16 %0, %1, %2, %3;" : "=h"(h) : "h"((unsigned short)-30000), "h"((unsigned short)30000), "h"((unsigned short)__float_as_uint(cell[1])));
    o[7] = h;
}

extern "C" __global__ void functions(const float *a, float *out)
{
    int i = threadIdx.x;
    float x = a[i];
    float *o = out + 8 * i;
    o[0] = expf(x);
    o[1] = logf(x);
    o[2] = sinf(x);
    o[3] = __cosf(x);
    o[4] = tanhf(x);
    o[5] = rsqrtf(x);
    o[6] = powf(x, 1.7f);
    o[7] = (float)exp((double)x);
}

extern "C" __global__ void atomics(int *o, float *f, unsigned long long *u)
{
    int i = threadIdx.x;
    atomicMax(o, i);
    atomicMin(o + 1, -i);
    atomicInc((unsigned *)o + 2, 10);
    atomicXor(o + 3, i);
    atomicCAS(o + 4, 0, i + 1);
    o[8 + i] = atomicExch(o + 5, i);
    atomicAdd((__half2 *)(o + 6), __floats2half2_rn(1, 2));
    atomicAdd(f, 1.5f);
    atomicAdd(u, 1ull << 33);
}

// --- the system -------------------------------------------------------------------------

extern "C" __global__ void print(int *out)
{
    if (threadIdx.x < 2)
        printf("%d|%5.2f|%s|%llu|%%\n", threadIdx.x, threadIdx.x * 1.5, "text", 123456789012ull);
}

extern "C" __global__ void assertion(int *out)
{
    int i = threadIdx.x;
    assert(i < 5);
}

extern "C" __global__ void heap(int *out)
{
    int *p = (int *)malloc(40);
    p[3] = threadIdx.x;
    out[threadIdx.x] = p[3];
    free(p);
}

// --- mistakes: the test knows their lines -----------------------------------------------

extern "C" __global__ void off_by_one(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = 1; // MISTAKE off_by_one
}

extern "C" __global__ void uninitialized(const float *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x + 8]; // MISTAKE uninitialized
}

extern "C" __global__ void shared_overrun(float *out)
{
    extern __shared__ float s[];
    out[0] = s[threadIdx.x + 1000]; // MISTAKE shared_overrun
}

extern "C" __global__ void misaligned(float *out)
{
    *(float4 *)(out + 1) = make_float4(1, 2, 3, 4); // MISTAKE misaligned
}

extern "C" __global__ void divergent_barrier(float *out)
{
    if (threadIdx.x % 32 < 7)
        __syncthreads(); // MISTAKE divergent_barrier
    else
        out[__shfl_sync(0xffffffff, 1, 0)] = 1;
}

__device__ volatile int never[64];
extern "C" __global__ void endless(int *out)
{
    while (never[threadIdx.x] == 0) // MISTAKE endless
        never[threadIdx.x] = 0;
}

extern "C" __global__ void texture_fetch(cudaTextureObject_t t, float *out)
{
    out[0] = tex2D<float>(t, 0, 0); // MISTAKE texture_fetch
}

extern "C" __global__ void read_null(const int *p, int *out)
{
    out[0] = p[1]; // MISTAKE read_null
}
