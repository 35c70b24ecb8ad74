/* Each block counts what it keeps; one block turns the counts into where each block begins; each
 * block then places what it keeps, in order. The output is cleared first. */
#define THREADS 256

/* How many threads before this one have a `flag`; `all` gets how many there are. */
__device__ static int
rank(bool flag, int *all)
{
    __shared__ int warps[THREADS / 32];
    unsigned mask = __ballot_sync(0xFFFFFFFFu, flag);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int before = __popc(mask & ((1u << lane) - 1));

    if (lane == 0)
        warps[warp] = __popc(mask);
    __syncthreads();
    *all = 0;
    for (unsigned w = 0; w < THREADS / 32; w++) {
        if (w < warp)
            before += warps[w];
        *all += warps[w];
    }
    __syncthreads();
    return before;
}

__global__ static void
count(const float *A, int *begins, int N)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x), all;

    rank(i < N && A[i] > 0, &all);
    if (threadIdx.x == 0)
        begins[blockIdx.x] = all;
}

/* One block: counts become begins, THREADS of them at a time. */
__global__ static void
scan(int *begins, int blocks)
{
    __shared__ int sum[THREADS];
    unsigned t = threadIdx.x;
    int carry = 0;

    for (int first = 0; first < blocks; first += THREADS) {
        int i = first + (int)t, mine = i < blocks ? begins[i] : 0;

        sum[t] = mine;
        __syncthreads();
        for (unsigned step = 1; step < THREADS; step *= 2) {
            int other = t >= step ? sum[t - step] : 0;

            __syncthreads();
            sum[t] += other;
            __syncthreads();
        }
        if (i < blocks)
            begins[i] = carry + sum[t] - mine;
        carry += sum[THREADS - 1];
        __syncthreads();
    }
}

__global__ static void
place(const float *A, const int *begins, float *out, int N)
{
    int i = (int)(blockIdx.x * THREADS + threadIdx.x), all;
    bool keep = i < N && A[i] > 0;
    int at = begins[blockIdx.x] + rank(keep, &all);

    if (keep)
        out[at] = A[i];
}

extern "C" void
solve(const float *A, int N, float *out)
{
    unsigned blocks = (unsigned)(N + THREADS - 1) / THREADS;
    int *begins;

    if (cudaMalloc(&begins, blocks * sizeof *begins) != cudaSuccess)
        return;
    cudaMemset(out, 0, (size_t)N * sizeof *out);
    count<<<blocks, THREADS>>>(A, begins, N);
    scan<<<1, THREADS>>>(begins, (int)blocks);
    place<<<blocks, THREADS>>>(A, begins, out, N);
    cudaFree(begins);
}
