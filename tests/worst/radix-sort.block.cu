// warpjudge: radix-sort
// One block, a launch for each bit. Each thread counts the whole array for itself.
#define THREADS 256

__global__ void
by_bit(const unsigned *from, unsigned *to, int N, int bit)
{
    __shared__ int zeros_of[THREADS];
    int share = (N + THREADS - 1) / THREADS, t = threadIdx.x, zeros = 0, before = 0, all = 0;
    int begin = t * share < N ? t * share : N, end = begin + share < N ? begin + share : N;

    for (int i = begin; i < end; i++)
        zeros += ((from[i] >> bit) & 1) == 0;
    zeros_of[t] = zeros;
    __syncthreads();
    for (int k = 0; k < THREADS; k++) {
        before += k < t ? zeros_of[k] : 0;
        all += zeros_of[k];
    }
    int ones = all + begin - before;
    for (int i = begin; i < end; i++)
        to[((from[i] >> bit) & 1) == 0 ? before++ : ones++] = from[i];
}

extern "C" void
solve(const unsigned *input, unsigned *output, int N)
{
    unsigned *other;

    cudaMalloc(&other, N * sizeof *other);
    for (int bit = 0; bit < 32; bit++)
        by_bit<<<1, THREADS>>>(bit == 0 ? input : bit % 2 == 0 ? output : other, bit % 2 == 0 ? other : output, N, bit);
    cudaFree(other);
}
