// warpjudge: edge-degree-count
// expect: accepted
// idea: A thread asks for one edge, counts it, and only then asks for the next. Load eight edges at once, in
//   vectors, so that memory is never idle while vertices are counted.
// Four loads of 16 bytes bring eight edges of a thread before the first vertex is counted, and the
// next four are on their way meanwhile. The edges behind the last eight go one by one.
// H200: 13.7 ms, 1.01 times as fast as step 2
#include <cuda_runtime.h>

#define THREADS 512
#define PLACES 512
#define NOBODY -1

struct table {
    int vertex[PLACES], count[PLACES];
};

struct edges {
    int4 src[2], dst[2];
};

__device__ static void
count_vertex(table *t, int *degree, int v)
{
    int place = v % PLACES, owner = t->vertex[place];

    if (owner == NOBODY)
        owner = atomicCAS(&t->vertex[place], NOBODY, v);
    if (owner == NOBODY || owner == v)
        atomicAdd(&t->count[place], 1);
    else
        atomicAdd(&degree[v], 1);
}

__device__ static void
count_four(table *t, int *degree, int4 v)
{
    count_vertex(t, degree, v.x);
    count_vertex(t, degree, v.y);
    count_vertex(t, degree, v.z);
    count_vertex(t, degree, v.w);
}

__device__ static void
clear(table *t)
{
    for (int p = threadIdx.x; p < PLACES; p += THREADS) {
        t->vertex[p] = NOBODY;
        t->count[p] = 0;
    }
}

__device__ static void
add_up(const table *t, int *degree)
{
    for (int p = threadIdx.x; p < PLACES; p += THREADS)
        if (t->count[p] > 0)
            atomicAdd(&degree[t->vertex[p]], t->count[p]);
}

// Eight edges: four, and four that are a block's width further. They are read once.
__device__ static edges
load(const int4 *src, const int4 *dst, long at)
{
    return {{__ldcs(&src[at]), __ldcs(&src[at + THREADS])},
            {__ldcs(&dst[at]), __ldcs(&dst[at + THREADS])}};
}

__global__ void
count(const int *src, const int *dst, int *out_degree, int *in_degree, int E)
{
    __shared__ table out, in;
    long stride = 2l * gridDim.x * THREADS, fours = E / 4;
    long begin = 2l * blockIdx.x * THREADS + threadIdx.x, rounds = fours / stride, at = begin;
    edges now, next;

    clear(&out);
    clear(&in);
    __syncthreads();
    if (rounds > 0)
        next = load((const int4 *)src, (const int4 *)dst, at);
    for (long r = 1; r <= rounds; r++) {
        now = next;
        at += stride;
        if (r < rounds)
            next = load((const int4 *)src, (const int4 *)dst, at);
#pragma unroll
        for (int k = 0; k < 2; k++) {
            count_four(&out, out_degree, now.src[k]);
            count_four(&in, in_degree, now.dst[k]);
        }
    }
    for (long e = 4 * rounds * stride + (long)blockIdx.x * THREADS + threadIdx.x; e < E;
         e += (long)gridDim.x * THREADS) {
        count_vertex(&out, out_degree, src[e]);
        count_vertex(&in, in_degree, dst[e]);
    }
    __syncthreads();
    add_up(&out, out_degree);
    add_up(&in, in_degree);
}

extern "C" void
solve(const int *src, const int *dst, int *out_degree, int *in_degree, int E, int V)
{
    int processors;

    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    cudaMemset(out_degree, 0, V * sizeof(int));
    cudaMemset(in_degree, 0, V * sizeof(int));
    count<<<min(4 * processors, E / THREADS + 1), THREADS>>>(src, dst, out_degree, in_degree, E);
}
