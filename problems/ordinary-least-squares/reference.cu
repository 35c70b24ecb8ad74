/*
 * Normal equations in double, solved by Cholesky's method. A block for each entry of X^T X and of
 * X^T y, whose sum is taken by a tree, in the same order every time; then one block for the rest.
 */
#define THREADS 256

/* The lower half of X^T X and, as b = n, X^T y. */
__global__ static void
normal_equations(const float *X, const float *y, double *gram, double *target, int samples, int n)
{
    __shared__ double tree[THREADS];
    const unsigned t = threadIdx.x;
    const int a = (int)blockIdx.x, b = (int)blockIdx.y;
    double sum = 0;

    if (b > a && b < n)
        return;
    for (int i = (int)t; i < samples; i += THREADS)
        sum += (double)X[(size_t)i * n + a] * (b < n ? X[(size_t)i * n + b] : y[i]);
    tree[t] = sum;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            tree[t] += tree[t + half];
        __syncthreads();
    }
    if (t == 0 && b < n)
        gram[(size_t)a * n + b] = tree[0];
    if (t == 0 && b == n)
        target[a] = tree[0];
}

/* One block. Column after column of L, taken from all columns behind it at once; then L z = x and
 * L^T beta = z. */
__global__ static void
cholesky(double *gram, double *x, float *beta, int n)
{
    const int t = (int)threadIdx.x;

    for (int k = 0; k < n; k++) {
        double *column = gram + k, pivot = sqrt(column[(size_t)k * n]);

        __syncthreads();
        for (int a = k + t; a < n; a += THREADS)
            column[(size_t)a * n] = a == k ? pivot : column[(size_t)a * n] / pivot;
        __syncthreads();
        for (int a = k + 1 + t; a < n; a += THREADS)
            for (int b = k + 1; b <= a; b++)
                gram[(size_t)a * n + b] -= column[(size_t)a * n] * column[(size_t)b * n];
        __syncthreads();
    }
    for (int k = 0; k < n; k++) {
        double value = x[k] / gram[(size_t)k * n + k];

        __syncthreads();
        if (t == 0)
            x[k] = value;
        for (int a = k + 1 + t; a < n; a += THREADS)
            x[a] -= gram[(size_t)a * n + k] * value;
        __syncthreads();
    }
    for (int k = n - 1; k >= 0; k--) {
        double value = x[k] / gram[(size_t)k * n + k];

        __syncthreads();
        if (t == 0)
            beta[k] = (float)value;
        for (int a = t; a < k; a += THREADS)
            x[a] -= gram[(size_t)k * n + a] * value;
        __syncthreads();
    }
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    const size_t n = (size_t)n_features;
    double *gram, *x;

    if (cudaMalloc(&gram, n * n * sizeof *gram) != cudaSuccess ||
        cudaMalloc(&x, n * sizeof *x) != cudaSuccess)
        return;
    normal_equations<<<dim3((unsigned)n, (unsigned)n + 1), THREADS>>>(X, y, gram, x, n_samples, n_features);
    cholesky<<<1, THREADS>>>(gram, x, beta, n_features);
    cudaFree(x);
    cudaFree(gram);
}
