/*
 * In double, each state rounded once. A block for each sequence: every thread folds a piece of it
 * into one step h -> m h + c, the steps are joined by a scan over the threads, and each thread
 * goes over its piece again from the state that it then knows.
 */
#define THREADS 256

__global__ static void
recur(const float *a, const float *x, float *h, int L)
{
    __shared__ double m[THREADS], c[THREADS];
    const size_t row = (size_t)blockIdx.x * L;
    const int t = (int)threadIdx.x, length = (L + THREADS - 1) / THREADS;
    const int first = min(L, t * length), end = min(L, first + length);
    double factor = 1, sum = 0;

    for (int i = first; i < end; i++) {
        double step = i ? a[row + i] : 0;

        factor *= step;
        sum = step * sum + x[row + i];
    }
    m[t] = factor;
    c[t] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        double before_m = t >= step ? m[t - step] : 1, before_c = t >= step ? c[t - step] : 0;

        __syncthreads();
        c[t] += m[t] * before_c;
        m[t] *= before_m;
        __syncthreads();
    }
    double state = t ? c[t - 1] : 0;

    for (int i = first; i < end; i++) {
        state = (i ? a[row + i] : 0) * state + x[row + i];
        h[row + i] = (float)state;
    }
}

extern "C" void
solve(const float *a, const float *x, float *h, int B, int L)
{
    recur<<<B, THREADS>>>(a, x, h, L);
}
