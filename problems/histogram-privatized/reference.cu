/*
 * Counts, exactly: each warp counts its part of one image in shared memory of its own, 16
 * bytes at a time where they lie in one word of the memory.
 */
#define WARPS 8
#define PART 65536 /* bytes for each block */
#define WORD 16

__device__ static void
count_four(int *mine, unsigned four)
{
    for (int k = 0; k < 32; k += 8)
        atomicAdd(&mine[four >> k & 255], 1);
}

__global__ static void
count(const unsigned char *input, int *histogram, int N)
{
    __shared__ int mine[WARPS][256];
    const unsigned char *image = input + (size_t)blockIdx.y * N;
    const int begin = (int)blockIdx.x * PART, end = min(begin + PART, N);
    const int t = (int)threadIdx.x, warp = t / 32;
    /* Words are whole from `whole` to `rest`. */
    const int whole = min(end, begin + (int)(-(size_t)(image + begin) % WORD));
    const int rest = end - (end - whole) % WORD;

    for (int w = 0; w < WARPS; w++)
        mine[w][t] = 0;
    __syncthreads();
    for (int i = whole + t * WORD; i < rest; i += 256 * WORD) {
        const uint4 word = *(const uint4 *)(image + i);

        count_four(mine[warp], word.x);
        count_four(mine[warp], word.y);
        count_four(mine[warp], word.z);
        count_four(mine[warp], word.w);
    }
    if (begin + t < whole)
        atomicAdd(&mine[warp][image[begin + t]], 1);
    if (rest + t < end)
        atomicAdd(&mine[warp][image[rest + t]], 1);
    __syncthreads();
    for (int w = 1; w < WARPS; w++)
        mine[0][t] += mine[w][t];
    if (mine[0][t] != 0)
        atomicAdd(&histogram[blockIdx.y * 256 + t], mine[0][t]);
}

extern "C" void
solve(const unsigned char *input, int *histogram, int B, int N)
{
    dim3 grid((unsigned)(N + PART - 1) / PART, (unsigned)B);

    cudaMemset(histogram, 0, (size_t)B * 256 * sizeof *histogram);
    count<<<grid, 256>>>(input, histogram, N);
}
