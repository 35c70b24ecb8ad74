// warpjudge: ordinary-least-squares
// expect: accepted
// The normal equations by one thread for each entry; then one block eliminates (Cholesky without
// roots: the system is positive definite, no pivoting is needed) and one thread substitutes back.
#include <cuda_runtime.h>

// An n x (n + 1) system: X^T X and, in the last column, X^T y.
__global__ void
normal_equations(const float *X, const float *y, float *system, int samples, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;

    if (a >= n || b > n)
        return;
    for (int i = 0; i < samples; i++)
        sum += X[i * n + a] * (b < n ? X[i * n + b] : y[i]);
    system[a * (n + 1) + b] = sum;
}

__global__ void
eliminate(float *system, float *beta, int n)
{
    int width = n + 1;

    for (int k = 0; k < n; k++) {
        const float *pivot_row = system + k * width;

        for (int a = k + 1 + threadIdx.y; a < n; a += blockDim.y) {
            float factor = system[a * width + k] / pivot_row[k];

            // Column k itself is not read again.
            for (int b = k + 1 + threadIdx.x; b <= n; b += blockDim.x)
                system[a * width + b] -= factor * pivot_row[b];
        }
        __syncthreads();
    }
    if (threadIdx.x > 0 || threadIdx.y > 0)
        return;
    for (int k = n - 1; k >= 0; k--) {
        float sum = system[k * width + n];

        for (int b = k + 1; b < n; b++)
            sum -= system[k * width + b] * beta[b];
        beta[k] = sum / system[k * width + k];
    }
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    int n = n_features;
    float *system;

    cudaMalloc(&system, n * (n + 1) * sizeof(float));
    normal_equations<<<dim3((n + 16) / 16, (n + 15) / 16), dim3(16, 16)>>>(X, y, system, n_samples, n);
    eliminate<<<1, dim3(32, 16)>>>(system, beta, n);
    cudaFree(system);
}
