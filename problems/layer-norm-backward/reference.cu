/* Gradients of layer normalization in double, each rounded once. First a block for each row: its
 * dx, and its mean and 1 / deviation, which the second kernel, a thread for each column, reads.
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
rows(const float *x, const float *gamma, const float *dy, float *dx, double2 *statistics, int C,
     double eps)
{
    size_t at = (size_t)blockIdx.x * C;
    double mean = 0, variance = 0, a = 0, b = 0;

    for (int c = (int)threadIdx.x; c < C; c += THREADS)
        mean += x[at + c];
    mean = block_sum(mean) / C;
    for (int c = (int)threadIdx.x; c < C; c += THREADS) {
        double w = (double)dy[at + c] * gamma[c], d = x[at + c] - mean;

        variance += d * d;
        a += w;
        b += w * d;
    }
    variance = block_sum(variance) / C;
    a = block_sum(a) / C;
    b = block_sum(b) / C;
    double r = 1 / sqrt(variance + eps);

    for (int c = (int)threadIdx.x; c < C; c += THREADS) {
        double w = (double)dy[at + c] * gamma[c], h = (x[at + c] - mean) * r;

        dx[at + c] = (float)(r * (w - a - h * b * r));
    }
    if (threadIdx.x == 0)
        statistics[blockIdx.x] = make_double2(mean, r);
}

__global__ static void
columns(const float *x, const float *dy, const double2 *statistics, float *dgamma, float *dbeta,
        int N, int C)
{
    int c = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    double gain = 0, shift = 0;

    if (c >= C)
        return;
    for (int n = 0; n < N; n++) {
        double d = dy[(size_t)n * C + c];

        gain += d * ((x[(size_t)n * C + c] - statistics[n].x) * statistics[n].y);
        shift += d;
    }
    dgamma[c] = (float)gain;
    dbeta[c] = (float)shift;
}

extern "C" void
solve(const float *x, const float *gamma, const float *dy, float *dx, float *dgamma, float *dbeta,
      int N, int C, float eps)
{
    double2 *statistics;

    if (cudaMalloc(&statistics, (size_t)N * sizeof *statistics) != cudaSuccess)
        return;
    rows<<<N, THREADS>>>(x, gamma, dy, dx, statistics, C, eps);
    columns<<<(C + 63) / 64, 64>>>(x, dy, statistics, dgamma, dbeta, N, C);
    cudaFree(statistics);
}
