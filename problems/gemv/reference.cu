/* Each sum in double, rounded once: one block for each row, a tree adds its threads'
 * sums. */
#define THREADS 256

__global__ static void
multiply(const float *A, const float *x, float *y, int N)
{
    __shared__ double tree[THREADS];
    const float *row = A + (size_t)blockIdx.x * N;
    double sum = 0;

    for (int n = (int)threadIdx.x; n < N; n += THREADS)
        sum += (double)row[n] * x[n];
    tree[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = (float)tree[0];
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N)
{
    multiply<<<M, THREADS>>>(A, x, y, N);
}
