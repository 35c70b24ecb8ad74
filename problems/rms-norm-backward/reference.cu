/* Gradients of RMS normalization in double, each rounded once. First a block for each row: its
 * dx, and 1 / root of its mean square, which the second kernel, a thread for each column, reads.
 * The sums are taken in the same order every time. */
#define THREADS 256

/* The sum of all threads' values, in every thread. */
__device__ static double
block_sum(double value)
{
    __shared__ double tree[THREADS];
    unsigned t = threadIdx.x;

    __syncthreads(); /* the call before may still be reading */
    tree[t] = value;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    return tree[0];
}

__global__ static void
rows(const float *x, const float *weight, const float *dy, float *dx, double *inverse, int C,
     double eps)
{
    size_t at = (size_t)blockIdx.x * C;
    double square = 0, q = 0;

    for (int c = (int)threadIdx.x; c < C; c += THREADS) {
        square += (double)x[at + c] * x[at + c];
        q += (double)dy[at + c] * weight[c] * x[at + c];
    }
    square = block_sum(square);
    q = block_sum(q) / C;
    double r = 1 / sqrt(square / C + eps);

    for (int c = (int)threadIdx.x; c < C; c += THREADS)
        dx[at + c] = (float)(r * dy[at + c] * weight[c] - r * r * r * q * x[at + c]);
    if (threadIdx.x == 0)
        inverse[blockIdx.x] = r;
}

__global__ static void
columns(const float *x, const float *dy, const double *inverse, float *dweight, int N, int C)
{
    int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double sum = 0;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++)
        sum += dy[(size_t)n * C + c] * (x[(size_t)n * C + c] * inverse[n]);
    dweight[c] = (float)sum;
}

extern "C" void
solve(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int N,
      int C, float eps)
{
    double *inverse;

    if (cudaMalloc(&inverse, (size_t)N * sizeof *inverse) != cudaSuccess)
        return;
    rows<<<N, THREADS>>>(x, weight, dy, dx, inverse, C, eps);
    columns<<<(C + 63) / 64, 64>>>(x, dy, inverse, dweight, N, C);
    cudaFree(inverse);
}
