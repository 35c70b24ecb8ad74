/* Prefix sums that begin anew every 32 elements: each block loads eight groups, and every
 * thread adds up what stands before it in its own. */
#define THREADS 256

__global__ static void
scan(const int *input, int *output, int N)
{
    __shared__ int values[THREADS];
    unsigned t = threadIdx.x;
    int i = (int)(blockIdx.x * THREADS + t), sum = 0;

    values[t] = i < N ? input[i] : 0;
    __syncthreads();
    for (unsigned k = t / 32 * 32; k <= t; k++)
        sum += values[k];
    if (i < N)
        output[i] = sum;
}

extern "C" void
solve(const int *input, int *output, int N)
{
    scan<<<(N + THREADS - 1) / THREADS, THREADS>>>(input, output, N);
}
