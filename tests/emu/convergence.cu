// Where the lanes of a warp run together and where apart, in the ways in which people
// write kernels. Each probe says on the host what every thread has to see. Masks are
// those of lanes that stand at the same instruction, which run together
// (docs/emulator.md).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

constexpr unsigned FULL = 0xffffffff;
constexpr int THREADS = 64; // two warps; x[] and out[] have so many elements

__host__ __device__ int
value(int t)
{
    return (t * 37 + 11) % 97;
}

/* --- what the host expects ---------------------------------------------- */

// The lanes of t's warp for which f(thread) holds.
template <class F>
unsigned
lanes(int t, F f)
{
    unsigned mask = 0;

    for (int lane = 0; lane < 32; lane++)
        mask |= (unsigned)(f(t / 32 * 32 + lane) != 0) << lane;
    return mask;
}

template <class F>
unsigned
many(int t, F f)
{
    return (unsigned)__builtin_popcount(lanes(t, f));
}

#define PROBE(name) __global__ void name(unsigned *out, int *x)
#define EXPECT(name) unsigned expect_##name(int t)
#define T int t = threadIdx.x

/* --- branches ------------------------------------------------------------ */

PROBE(after_branch)
{
    T;
    if (x[t] & 1)
        out[t] = 5;
    out[t] = __activemask();
}
EXPECT(after_branch)
{
    return FULL;
}

PROBE(in_both_arms)
{
    T;
    if (x[t] & 1)
        out[t] = __activemask();
    else
        out[t] = ~__activemask();
}
EXPECT(in_both_arms)
{
    return lanes(t, [](int i) { return value(i) & 1; });
}

PROBE(nested)
{
    T;
    unsigned r = 0;
    if (t & 1) {
        r = t & 2 ? __activemask() : __activemask() | 1;
        r ^= __ballot_sync(0xaaaaaaaa, t & 4);
    } else {
        for (int i = 0; i < (t & 6); i++)
            r += __popc(__activemask());
    }
    out[t] = r;
}
EXPECT(nested)
{
    unsigned r = 0;
    if (t & 1)
        return ((t & 2) ? 0x88888888 : 0x22222223) ^ 0xa0a0a0a0;
    for (int i = 0; i < (t & 6); i++)
        r += many(t, [=](int k) { return !(k & 1) && i < (k & 6); });
    return r;
}

PROBE(choices)
{
    T;
    unsigned r = 0;
    switch (x[t] % 5) {
    case 0:
        r = __activemask();
        break;
    case 1:
        r = __activemask() + 1;
        break;
    case 2:
        return;
    default:
        r = __activemask() + 3;
    }
    out[t] = r;
}
EXPECT(choices)
{
    int k = value(t) % 5;
    if (k == 2)
        return 0;
    if (k > 2)
        return lanes(t, [](int i) { return value(i) % 5 > 2; }) + 3;
    return lanes(t, [=](int i) { return value(i) % 5 == k; }) + (unsigned)k;
}

__device__ int
note_together(unsigned *out, int t)
{
    out[t] = __popc(__activemask());
    return t & 1;
}

PROBE(short_circuit)
{
    T;
    out[t] = 0;
    if (x[t] > 40 && note_together(out, t))
        out[t] += 1000 * __popc(__activemask());
}
EXPECT(short_circuit)
{
    unsigned outer = many(t, [](int i) { return value(i) > 40; });
    unsigned inner = many(t, [](int i) { return value(i) > 40 && (i & 1); });
    return value(t) <= 40 ? 0 : t & 1 ? outer + 1000 * inner : outer;
}

/* --- returns ------------------------------------------------------------- */

PROBE(early_return)
{
    T;
    if (x[t] % 3 == 0)
        return;
    out[t] = __ballot_sync(__activemask(), 1);
}
EXPECT(early_return)
{
    return value(t) % 3 ? lanes(t, [](int i) { return value(i) % 3; }) : 0;
}

PROBE(early_return_full_mask)
{
    T;
    if (t % 32 >= 20)
        return;
    out[t] = __ballot_sync(FULL, x[t] & 1);
}
EXPECT(early_return_full_mask)
{
    return t % 32 < 20 ? lanes(t, [](int i) { return i % 32 < 20 && (value(i) & 1); })
                       : 0;
}

PROBE(exit_while_others_wait)
{
    T;
    if (t % 32 >= 16) {
        out[t] = 3;
        asm volatile("exit;");
    }
    __syncwarp();
    out[t] = __popc(__activemask());
}
EXPECT(exit_while_others_wait)
{
    return t % 32 < 16 ? 16 : 3;
}

__device__ unsigned
one_of_three(int v)
{
    if (v & 1)
        return __activemask();
    if (v & 2)
        return __activemask() + 1;
    return __activemask() + 2;
}
PROBE(returns_of_a_function)
{
    T;
    unsigned r = one_of_three(x[t]);
    out[t] = r + __popc(__ballot_sync(FULL, 1));
}
EXPECT(returns_of_a_function)
{
    int v = value(t), k = v & 1 ? 0 : v & 2 ? 1 : 2;
    return lanes(t,
                 [=](int i) {
                     int u = value(i);
                     return (u & 1 ? 0 : u & 2 ? 1 : 2) == k;
                 }) +
           (unsigned)k + 32;
}

/* --- loops --------------------------------------------------------------- */

PROBE(loop_with_break)
{
    T;
    int i;
    for (i = 0; i < 100; i++) {
        if (i == x[t])
            break;
        out[t] += (unsigned)x[i % THREADS];
    }
    out[t] = __activemask() ^ (unsigned)i;
}
EXPECT(loop_with_break)
{
    return FULL ^ (unsigned)value(t);
}

PROBE(loop_of_many_lengths)
{
    T;
    unsigned sum = 0;
    for (int i = 0; i < x[t]; i++)
        sum += __popc(__activemask());
    out[t] = sum;
}
EXPECT(loop_of_many_lengths)
{
    unsigned sum = 0;
    for (int i = 0; i < value(t); i++)
        sum += many(t, [=](int k) { return i < value(k); });
    return sum;
}

PROBE(loop_with_continue)
{
    T;
    unsigned r = 0;
    for (int i = 0; i < 8; i++) {
        if ((t + i) % 3 == 0)
            continue;
        r += __popc(__activemask());
        __syncwarp(__activemask());
    }
    out[t] = r;
}
EXPECT(loop_with_continue)
{
    unsigned r = 0;
    for (int i = 0; i < 8; i++)
        if ((t + i) % 3 != 0)
            r += many(t, [=](int k) { return (k + i) % 3 != 0; });
    return r;
}

PROBE(do_while)
{
    T;
    unsigned n = 0, hash = 0;
#pragma unroll 1 // nvcc would make lanes of long loops go another way from the start
    do {
        hash = hash * 31 + __popc(__activemask());
        n++;
    } while (n < (unsigned)(t % 7));
    out[t] = hash;
}
EXPECT(do_while)
{
    unsigned n = 0, hash = 0;
    do {
        hash = hash * 31 + many(t, [=](int k) { return n == 0 || (int)n < k % 7; });
        n++;
    } while (n < (unsigned)(t % 7));
    return hash;
}

PROBE(exit_in_loop)
{
    T;
#pragma unroll 1
    for (int i = 0;; i++) {
        if (i == t % 4 + 1)
            return;
        out[t] = out[t] * 100 + __popc(__activemask());
    }
}
EXPECT(exit_in_loop)
{
    unsigned seen = 0;
    for (unsigned i = 0; i <= (unsigned)t % 4; i++)
        seen = seen * 100 + 32 - 8 * i;
    return seen;
}

PROBE(jumps)
{
    T;
    int i = 0;
    unsigned r = 0;
again:
    r += __popc(__activemask());
    if (x[t] > i * 20) {
        i++;
        goto again;
    }
    if (t & 1)
        goto out;
    r += 1000 * __popc(__activemask());
out:
    out[t] = r;
}
EXPECT(jumps)
{
    unsigned r = 0;
    for (int i = 0;; i++) {
        r += many(t, [=](int k) { return i == 0 || value(k) > (i - 1) * 20; });
        if (value(t) <= i * 20)
            break;
    }
    return t & 1 ? r : r + 16000;
}

PROBE(mask_from_ballot)
{
    T;
    int v = x[t];
    unsigned m = FULL;
    while (1) {
        m = __ballot_sync(m, v > 0);
        if (v <= 0)
            break;
        v -= 30;
    }
    out[t] = m;
}
EXPECT(mask_from_ballot)
{
    int rounds = (value(t) + 29) / 30;
    return lanes(t, [=](int k) { return value(k) > rounds * 30; });
}

/* --- calls --------------------------------------------------------------- */

typedef unsigned (*function)(int);
__device__ unsigned
who(int)
{
    return __activemask();
}
__device__ unsigned
who_else(int)
{
    return __activemask() ^ 0xffff;
}
__device__ unsigned
how_many(int t)
{
    return __popc(__activemask()) + (unsigned)t;
}
__device__ function table[3] = {who, who_else, how_many};

PROBE(indirect_calls)
{
    T;
    out[t] = table[x[t] % 3](t);
}
EXPECT(indirect_calls)
{
    int k = value(t) % 3;
    unsigned m = lanes(t, [=](int i) { return value(i) % 3 == k; });
    return k == 0   ? m
           : k == 1 ? m ^ 0xffff
                    : (unsigned)__builtin_popcount(m) + (unsigned)t;
}

struct shape {
    __device__ virtual unsigned f(int t) const
    {
        return __popc(__activemask()) + (unsigned)t;
    }
};
struct circle : shape {
    __device__ unsigned f(int t) const override
    {
        return __popc(__activemask()) * 100 + (unsigned)t;
    }
};

PROBE(virtual_functions)
{
    T;
    shape a;
    circle b;
    const shape *s = x[t] & 1 ? (const shape *)&b : &a;
    out[t] = s->f(t);
}
EXPECT(virtual_functions)
{
    int odd = value(t) & 1;
    return many(t, [=](int i) { return (value(i) & 1) == odd; }) * (odd ? 100 : 1) +
           (unsigned)t;
}

__device__ __noinline__ unsigned
depth(int n)
{
    if (n <= 0)
        return 1;
    return depth(n - 1) * 3 + (unsigned)n;
}

PROBE(recursion)
{
    T;
    unsigned r = depth(t % 5);
    out[t] = r * 100 + __popc(__activemask());
}
EXPECT(recursion)
{
    unsigned r = 1;
    for (int n = 1; n <= t % 5; n++)
        r = r * 3 + (unsigned)n;
    return r * 100 + 32;
}

template <class F>
__device__ unsigned
apply(F f, int t)
{
    return t & 4 ? f(t) : f(t + 1) * 2;
}

PROBE(device_lambda)
{
    T;
    int k = x[t];
    out[t] = apply([=](int q) { return (unsigned)(q + k); }, t) +
             __popc(__ballot_sync(FULL, t & 4));
}
EXPECT(device_lambda)
{
    return (t & 4 ? (unsigned)(t + value(t)) : (unsigned)(t + 1 + value(t)) * 2) + 16;
}

/* --- warps that meet: __syncwarp, votes, shuffles -------------------------- */

PROBE(syncwarp_of_halves)
{
    __shared__ int s[THREADS];
    T;
    int lane = t % 32, warp = t - lane;
    s[t] = t * 3;
    if (lane < 16) {
        __syncwarp(0xffff);
        out[t] = (unsigned)s[warp + 15 - lane];
    } else {
        __syncwarp(0xffff0000);
        out[t] = (unsigned)s[warp + 47 - lane] + 100;
    }
}
EXPECT(syncwarp_of_halves)
{
    int lane = t % 32;
    return lane < 16 ? (unsigned)(t - lane + 15 - lane) * 3
                     : (unsigned)(t - lane + 47 - lane) * 3 + 100;
}

PROBE(syncwarp_at_two_places)
{
    __shared__ int s[THREADS];
    T;
    s[t] = t + 1;
    if (t % 32 < 16) {
        __syncwarp();
        out[t] = (unsigned)s[t ^ 31];
    } else {
        __syncwarp();
        out[t] = (unsigned)s[t ^ 31] * 2;
    }
}
EXPECT(syncwarp_at_two_places)
{
    return (unsigned)((t ^ 31) + 1) * (t % 32 < 16 ? 1 : 2);
}

PROBE(votes_of_parts)
{
    T;
    int lane = t % 32;
    if (lane % 3 == 0)
        out[t] = (unsigned)__any_sync(0x49249249, x[t] > 90);
    else
        out[t] = __ballot_sync(0xb6db6db6, x[t] & 1) +
                 (unsigned)__all_sync(0xb6db6db6, x[t] >= 0);
}
EXPECT(votes_of_parts)
{
    if (t % 32 % 3 == 0)
        return lanes(t, [](int i) { return i % 32 % 3 == 0 && value(i) > 90; }) != 0;
    return lanes(t, [](int i) { return i % 32 % 3 != 0 && (value(i) & 1); }) + 1;
}

PROBE(votes_at_two_places)
{
    T;
    if (x[t] & 1)
        out[t] = __ballot_sync(FULL, 1);
    else
        out[t] = __ballot_sync(FULL, 0) + 1;
}
EXPECT(votes_at_two_places)
{
    return lanes(t, [](int i) { return value(i) & 1; }) + !(value(t) & 1);
}

PROBE(shuffles_of_parts)
{
    T;
    int lane = t % 32, v = x[t];
    if (lane < 8)
        v = __shfl_xor_sync(0xff, v, 1);
    else if (lane < 24)
        v = __shfl_sync(0x00ffff00, v, 8 + (lane + 1) % 16);
    else
        v = __shfl_sync(0xff000000, v, 31);
    out[t] = (unsigned)v;
}
EXPECT(shuffles_of_parts)
{
    int lane = t % 32, warp = t - lane;
    return (unsigned)value(lane < 8    ? t ^ 1
                           : lane < 24 ? warp + 8 + (lane + 1) % 16
                                       : warp + 31);
}

PROBE(shuffles_at_two_places)
{
    T;
    if (t % 32 < 16)
        out[t] = (unsigned)__shfl_sync(FULL, x[t], 31 - t % 32);
    else
        out[t] = (unsigned)__shfl_sync(FULL, x[t] * 2, 31 - t % 32) + 1000;
}
EXPECT(shuffles_at_two_places)
{
    return t % 32 < 16 ? (unsigned)value(t ^ 31) * 2 : (unsigned)value(t ^ 31) + 1000;
}

PROBE(match_then_ballot)
{
    T;
    unsigned m = __match_any_sync(FULL, x[t] % 4), r = 0;
    if (x[t] % 4 == 2)
        r = __ballot_sync(m, t & 1);
    out[t] = m ^ r;
}
EXPECT(match_then_ballot)
{
    int k = value(t) % 4;
    unsigned m = lanes(t, [=](int i) { return value(i) % 4 == k; });
    return k == 2 ? m & ~0xaaaaaaaa : m;
}

PROBE(after_block_barrier)
{
    T;
    if (t & 1)
        for (int i = 0; i < 10; i++)
            if (x[i] == 4242)
                out[t] = 1;
    __syncthreads();
    out[t] = __activemask();
}
EXPECT(after_block_barrier)
{
    return FULL;
}

/* --- lanes that wait for lanes --------------------------------------------- */

__device__ int lock_1, total_1, lock_2, total_2;
__device__ volatile int flag_1, flag_2, chain[THREADS + 1] = {1};
__device__ cuda::atomic<int, cuda::thread_scope_device> flag_3;
__device__ int next_ticket, now_serving;

PROBE(lock_in_a_branch)
{
    T;
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_1, 0, 1) == 0) {
            total_1 += t;
            __threadfence();
            atomicExch(&lock_1, 0);
            done = true;
        }
    }
    __syncthreads();
    out[t] = (unsigned)*(volatile int *)&total_1;
}
EXPECT(lock_in_a_branch)
{
    return THREADS * (THREADS - 1) / 2 + 0 * t;
}

PROBE(lock_by_spinning)
{
    T;
    while (atomicCAS(&lock_2, 0, 1) != 0)
        ;
    total_2 += 1;
    __threadfence();
    atomicExch(&lock_2, 0);
    __syncthreads();
    out[t] = (unsigned)*(volatile int *)&total_2;
}
EXPECT(lock_by_spinning)
{
    return THREADS + 0 * t;
}

PROBE(tickets)
{
    T;
    int mine = atomicAdd(&next_ticket, 1);
    while (atomicAdd(&now_serving, 0) != mine)
        __nanosleep(20);
    out[t] = mine < THREADS;
    __threadfence();
    atomicAdd(&now_serving, 1);
}
EXPECT(tickets)
{
    return 1 + 0 * t;
}

PROBE(earlier_lane_waits)
{
    T;
    if (t == 5) {
        while (flag_1 == 0)
            ;
        out[t] = (unsigned)flag_1;
    } else if (t == 9) {
        flag_1 = 77;
    }
}
EXPECT(earlier_lane_waits)
{
    return t == 5 ? 77 : 0;
}

PROBE(later_warp_answers)
{
    T;
    if (t == 7) {
        flag_2 = 5;
        __threadfence();
        while (flag_2 == 5)
            ;
        out[t] = (unsigned)flag_2;
    } else if (t == 40) {
        while (flag_2 == 0)
            ;
        flag_2 = 6;
    }
}
EXPECT(later_warp_answers)
{
    return t == 7 ? 6 : 0;
}

PROBE(chain_of_lanes)
{
    T;
    while (chain[t] == 0)
        ;
    chain[t + 1] = chain[t] + 1;
    out[t] = (unsigned)chain[t];
}
EXPECT(chain_of_lanes)
{
    return (unsigned)t + 1;
}

PROBE(chain_downwards)
{
    __shared__ volatile int c[THREADS + 1];
    T;
    c[t] = 0;
    if (t == 0)
        c[THREADS] = 1;
    __syncthreads();
    while (c[t + 1] == 0)
        ;
    c[t] = c[t + 1] + 1;
    out[t] = (unsigned)c[t];
}
EXPECT(chain_downwards)
{
    return (unsigned)(THREADS - t) + 1;
}

PROBE(atomic_wait)
{
    T;
    if (t == 3) {
        flag_3.wait(0);
        out[t] = (unsigned)flag_3.load();
    } else if (t == 30) {
        flag_3.store(55);
        flag_3.notify_all();
    }
}
EXPECT(atomic_wait)
{
    return t == 3 ? 55 : 0;
}

PROBE(barrier_in_both_arms)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int s[THREADS];
    T;
    if (t == 0)
        init(&b, THREADS);
    __syncthreads();
    s[t] = x[t];
    if (t & 1)
        b.arrive_and_wait();
    else
        b.wait(b.arrive());
    out[t] = (unsigned)s[t ^ 1];
}
EXPECT(barrier_in_both_arms)
{
    return (unsigned)value(t ^ 1);
}

/* --- cooperative groups ---------------------------------------------------- */

PROBE(coalesced_scan)
{
    T;
    if (x[t] & 1) {
        cg::coalesced_group g = cg::coalesced_threads();
        int sum = x[t];
        for (unsigned d = 1; d < g.size(); d *= 2) {
            int other = g.shfl_up(sum, d);
            if (g.thread_rank() >= d)
                sum += other;
        }
        g.sync();
        out[t] = (unsigned)sum * 100 + g.size();
    }
}
EXPECT(coalesced_scan)
{
    unsigned sum = 0;
    if (!(value(t) & 1))
        return 0;
    for (int i = t / 32 * 32; i <= t; i++)
        sum += value(i) & 1 ? (unsigned)value(i) : 0;
    return sum * 100 + many(t, [](int i) { return value(i) & 1; });
}

PROBE(coalesced_sums)
{
    T;
    cg::coalesced_group all = cg::coalesced_threads();
    if (t % 3)
        out[t] = (unsigned)cg::reduce(cg::coalesced_threads(), x[t], cg::plus<int>());
    else
        out[t] = all.size() + cg::coalesced_threads().thread_rank();
}
EXPECT(coalesced_sums)
{
    unsigned sum = 0, rank = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
        sum += i % 3 ? (unsigned)value(i) : 0;
        rank += i % 3 == 0 && i < t;
    }
    return t % 3 ? sum : 32 + rank;
}

PROBE(labelled_parts)
{
    T;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto g = cg::labeled_partition(warp, x[t] % 5);
    out[t] = g.size() * 64 + g.thread_rank();
}
EXPECT(labelled_parts)
{
    int k = value(t) % 5;
    unsigned m = lanes(t, [=](int i) { return value(i) % 5 == k; });
    return (unsigned)__builtin_popcount(m) * 64 +
           (unsigned)__builtin_popcount(m & ((1u << t % 32) - 1));
}

PROBE(tiles_of_eight)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    T;
    if (tile.meta_group_rank() & 1) {
        out[t] = (unsigned)tile.shfl_xor(x[t], 3);
        tile.sync();
    } else {
        out[t] = tile.ballot(x[t] > 50);
    }
}
EXPECT(tiles_of_eight)
{
    return t / 8 & 1
               ? (unsigned)value(t ^ 3)
               : lanes(t, [](int i) { return value(i) > 50; }) >> t % 32 / 8 * 8 & 255;
}

/* --- all of them ----------------------------------------------------------- */

// clang-format off
#define PROBES(X)                                                                              \
    X(after_branch) X(in_both_arms) X(nested) X(choices) X(short_circuit) X(early_return)      \
    X(early_return_full_mask) X(exit_while_others_wait) X(returns_of_a_function)               \
    X(loop_with_break) X(loop_of_many_lengths) X(loop_with_continue) X(do_while)               \
    X(exit_in_loop) X(jumps) X(mask_from_ballot) X(indirect_calls) X(virtual_functions)        \
    X(recursion) X(device_lambda) X(syncwarp_of_halves) X(syncwarp_at_two_places)              \
    X(votes_of_parts) X(votes_at_two_places) X(shuffles_of_parts) X(shuffles_at_two_places)    \
    X(match_then_ballot) X(after_block_barrier) X(lock_in_a_branch) X(lock_by_spinning)        \
    X(tickets) X(earlier_lane_waits) X(later_warp_answers) X(chain_of_lanes)                   \
    X(chain_downwards) X(atomic_wait) X(barrier_in_both_arms) X(coalesced_scan)                \
    X(coalesced_sums) X(labelled_parts) X(tiles_of_eight)
// clang-format on

static const struct {
    const char *name;
    void (*kernel)(unsigned *, int *);
    unsigned (*expect)(int);
} probes[] = {
#define X(name) {#name, name, expect_##name},
    PROBES(X)
#undef X
};

int
main()
{
    unsigned *out, seen[THREADS];
    int *x, values[THREADS];

    cudaMalloc(&out, sizeof seen);
    cudaMalloc(&x, sizeof values);
    for (int t = 0; t < THREADS; t++)
        values[t] = value(t);
    cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    for (const auto &p : probes) {
        cudaError_t error;
        bool right = true;

        cudaMemset(out, 0, sizeof seen);
        p.kernel<<<1, THREADS>>>(out, x);
        error = cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
        printf("%s %s", p.name, cudaGetErrorName(error));
        for (int t = 0; t < THREADS; t++) {
            if (error == cudaSuccess && seen[t] != p.expect(t) && right) {
                right = false;
                printf(" thread %d sees %#x, not %#x", t, seen[t], p.expect(t));
            }
        }
        puts("");
    }
    return 0;
}
