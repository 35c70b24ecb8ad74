/* Sums of slices; then one thread adds those up; then each slice is scanned by its block,
 * from where the slices before it end. */
#define THREADS 256
#define SLICES_MAX 4096

__device__ static unsigned slice_sum[SLICES_MAX];

/* The sum of the values of all threads before this one; *all: of all of them. */
__device__ static unsigned
block_scan(unsigned value, unsigned *all)
{
    __shared__ unsigned sums[THREADS];
    unsigned t = threadIdx.x, before;

    __syncthreads();
    sums[t] = value;
    __syncthreads();
    for (unsigned reach = 1; reach < THREADS; reach *= 2) {
        unsigned left = t >= reach ? sums[t - reach] : 0;

        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    before = sums[t] - value;
    *all = sums[THREADS - 1];
    return before;
}

__global__ static void
add_slices(const unsigned *input, int N, int slice)
{
    size_t begin = (size_t)blockIdx.x * slice, end = min(begin + slice, (size_t)N);
    unsigned sum = 0, all;

    for (size_t i = begin + threadIdx.x; i < end; i += THREADS)
        sum += input[i];
    block_scan(sum, &all);
    if (threadIdx.x == 0)
        slice_sum[blockIdx.x] = all;
}

__global__ static void
scan_sums(int slices)
{
    unsigned sum = 0;

    for (int s = 0; s < slices; s++) {
        unsigned here = slice_sum[s];

        slice_sum[s] = sum;
        sum += here;
    }
}

__global__ static void
scan_slices(const unsigned *input, unsigned *output, int N, int slice)
{
    size_t begin = (size_t)blockIdx.x * slice, end = min(begin + slice, (size_t)N);
    unsigned sum = slice_sum[blockIdx.x];

    for (size_t at = begin; at < end; at += THREADS) {
        size_t i = at + threadIdx.x;
        unsigned all, before = block_scan(i < end ? input[i] : 0, &all);

        if (i < end)
            output[i] = sum + before;
        sum += all;
    }
}

extern "C" void
solve(const unsigned int *input, unsigned int *output, int N)
{
    int slice = max(4 * THREADS, (N + SLICES_MAX - 1) / SLICES_MAX);
    int slices = (N + slice - 1) / slice;

    add_slices<<<slices, THREADS>>>(input, N, slice);
    scan_sums<<<1, 1>>>(slices);
    scan_slices<<<slices, THREADS>>>(input, output, N, slice);
}
