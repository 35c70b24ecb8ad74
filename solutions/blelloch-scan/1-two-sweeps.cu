// warpjudge: blelloch-scan
// expect: accepted
// idea: A scan looks sequential, but a tree computes it in two sweeps, one up and one down. Scan
//   the tile of each block so, scan the sums of the tiles in the same way, and add them back.
// Each block scans 1024 elements by Blelloch's two sweeps and leaves their sum. The sums
// are scanned by the same function, one level up. Then each block adds what stands before
// it.
// H200: 8.65 ms
#include <cuda_runtime.h>

#define THREADS 512
#define CHUNK (2 * THREADS)

__global__ void
scan_chunks(const unsigned *input, unsigned *output, unsigned *sums, int N)
{
    __shared__ unsigned tree[CHUNK];
    int t = threadIdx.x, i = blockIdx.x * CHUNK + 2 * t;

    tree[2 * t] = i < N ? input[i] : 0;
    tree[2 * t + 1] = i + 1 < N ? input[i + 1] : 0;
    for (int step = 1; step < CHUNK; step *= 2) { // up: each node gets the sum below it
        int node = 2 * step * (t + 1) - 1;

        __syncthreads();
        if (node < CHUNK)
            tree[node] += tree[node - step];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[CHUNK - 1];
        tree[CHUNK - 1] = 0;
    }
    for (int step = CHUNK / 2; step > 0;
         step /= 2) { // down: what stands before each node
        int node = 2 * step * (t + 1) - 1;

        __syncthreads();
        if (node < CHUNK) {
            unsigned left = tree[node - step];

            tree[node - step] = tree[node];
            tree[node] += left;
        }
    }
    __syncthreads();
    if (i < N)
        output[i] = tree[2 * t];
    if (i + 1 < N)
        output[i + 1] = tree[2 * t + 1];
}

__global__ void
add_before(unsigned *output, const unsigned *before, int N)
{
    int i = blockIdx.x * CHUNK + threadIdx.x;

    if (i < N)
        output[i] += before[blockIdx.x];
    if (i + THREADS < N)
        output[i + THREADS] += before[blockIdx.x];
}

static void
scan(const unsigned *input, unsigned *output, int N)
{
    int chunks = (N + CHUNK - 1) / CHUNK;
    unsigned *sums;

    cudaMalloc(&sums, 2 * (size_t)chunks * sizeof *sums);
    scan_chunks<<<chunks, THREADS>>>(input, output, sums, N);
    if (chunks > 1) {
        scan(sums, sums + chunks, chunks);
        add_before<<<chunks, THREADS>>>(output, sums + chunks, N);
    }
    cudaFree(sums);
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    scan(input, output, N);
    cudaDeviceSynchronize();
}
