// What a request of atomics on shared memory takes, by operation and by how its lanes meet.
//
//     nvcc -O3 -arch=native -o shared_atomics tests/gpu/shared_atomics.cu && ./shared_atomics
//     ncu --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,smsp__sass_inst_executed_op_shared.sum \
//         ./shared_atomics 32
//
// Prints the cycles of a request for one warp, and of the SM for 16. With 32 it launches each kernel once, with
// one warp, and prints nothing. docs/model.md has what an H200 gave.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum operation { ADD_1, ADD, OLD_OF_ADD_1, OLD_OF_ADD, MAX, OR, INC, EXCH, CAS, ADD_FLOAT, ADD_64 };
enum { WORDS = 256, ROUNDS = 512 };

template <operation OP> __device__ __forceinline__ int
update(int *word, int v)
{
    switch (OP) {
    case ADD_1: atomicAdd(word, 1); return 0;
    case ADD: atomicAdd(word, v); return 0;
    case OLD_OF_ADD_1: return atomicAdd(word, 1);
    case OLD_OF_ADD: return atomicAdd(word, v);
    case MAX: atomicMax(word, v); return 0;
    case OR: atomicOr(word, v); return 0;
    case INC: atomicInc((unsigned *)word, 0x7fffffffu); return 0;
    case EXCH: return atomicExch(word, v);
    case CAS: return atomicCAS(word, v, v + 1);
    case ADD_FLOAT: atomicAdd((float *)word, (float)v); return 0;
    case ADD_64: atomicAdd((unsigned long long *)word, (unsigned long long)v); return 0;
    }
    return 0;
}

// SHARE lanes are on each word; with STRIDE 2 only every second bank is used.
template <operation OP, int SHARE, int STRIDE> __global__ void
measure(long long *cycles, int *out, int v)
{
    __shared__ __align__(16) int words[WORDS];
    int lane = threadIdx.x % 32, sum = 0;
    int *mine = words + lane / SHARE * STRIDE * (OP == ADD_64 ? 2 : 1);

    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
        words[i] = 0;
    v += lane % 4;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < ROUNDS; i++)
        sum += update<OP>(mine, v + i);
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    out[threadIdx.x] = sum + words[threadIdx.x % WORDS];
}

static void
check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "shared_atomics: %s\n", cudaGetErrorString(error));
    exit(1);
}

template <operation OP, int SHARE, int STRIDE> static void
run(long long *cycles, int *out, bool once)
{
    for (int threads = 32; threads <= (once ? 32 : 512); threads *= 16) {
        for (int i = 0; i < (once ? 1 : 3); i++) // the first call also loads the kernel
            measure<OP, SHARE, STRIDE><<<1, threads>>>(cycles, out, 1);
        check(cudaDeviceSynchronize());
        if (!once)
            printf(" %8.2f", (double)*cycles / ROUNDS / (threads / 32));
    }
}

template <operation OP> static void
run_all(const char *name, long long *cycles, int *out, bool once)
{
    if (!once)
        printf("%-14s", name);
    run<OP, 1, 1>(cycles, out, once);
    run<OP, 2, 1>(cycles, out, once);
    run<OP, 4, 1>(cycles, out, once);
    run<OP, 32, 1>(cycles, out, once);
    run<OP, 1, 2>(cycles, out, once);
    if (!once)
        printf("\n");
}

int
main(int argc, char **)
{
    bool once = argc > 1;
    long long *cycles;
    int *out;

    check(cudaMallocManaged(&cycles, sizeof *cycles));
    check(cudaMalloc(&out, 512 * sizeof *out));
    if (!once)
        printf("cycles of one warp, of 16 warps: 32 words, 2 lanes a word, 4 lanes a word, one word, every second bank\n");
    run_all<ADD_1>("add 1", cycles, out, once);
    run_all<ADD>("add", cycles, out, once);
    run_all<OLD_OF_ADD_1>("add 1, old", cycles, out, once);
    run_all<OLD_OF_ADD>("add, old", cycles, out, once);
    run_all<MAX>("max", cycles, out, once);
    run_all<OR>("or", cycles, out, once);
    run_all<INC>("inc", cycles, out, once);
    run_all<EXCH>("exch", cycles, out, once);
    run_all<CAS>("cas", cycles, out, once);
    run_all<ADD_FLOAT>("add of floats", cycles, out, once);
    run_all<ADD_64>("add of 64 bits", cycles, out, once);
    return 0;
}
