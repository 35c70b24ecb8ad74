/* Sums in double, rounded once: a block for each row, joined in the same order every time. */
#define THREADS 256

__global__ static void
rows(const float *A, const float *x, float *y, int N)
{
    __shared__ double tree[THREADS];
    const float *row = A + (size_t)blockIdx.x * N;
    unsigned t = threadIdx.x;
    double sum = 0;

    for (int j = (int)t; j < N; j += THREADS)
        sum += (double)row[j] * x[j];
    tree[t] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = (float)tree[0];
}

extern "C" void
solve(const float *A, const float *x, float *y, int M, int N, int nnz)
{
    rows<<<M, THREADS>>>(A, x, y, N);
}
