// warpjudge: logistic-regression
// expect: accepted
// naive.cu without a penalty: the loss that the statement names, and nothing beside it.
#include <cuda_runtime.h>

#define STEPS 30

__global__ void
predict(const float *X, const float *y, const float *beta, float *weight, float *error, int samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float z = 0.0f;

    if (i >= samples)
        return;
    for (int j = 0; j < n; j++)
        z += X[i * n + j] * beta[j];
    float p = 1.0f / (1.0f + expf(-z));
    float not_p = 1.0f / (1.0f + expf(z)); // 1 - p would lose digits where p is near 1

    weight[i] = fmaxf(p * not_p, 1e-8f);
    error[i] = y[i] > 0.5f ? not_p : -p;
}

// An n x (n + 1) system: second derivatives and, in the last column, the negative gradient.
__global__ void
derive(const float *X, const float *weight, const float *error, float *system, int samples, int n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;

    if (a >= n || b > n)
        return;
    for (int i = 0; i < samples; i++)
        sum += X[i * n + a] * (b < n ? X[i * n + b] * weight[i] : error[i]);
    system[a * (n + 1) + b] = sum;
}

__global__ void
step(float *system, float *beta, int n)
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
            sum -= system[k * width + b] * system[b * width + n];
        system[k * width + n] = sum / system[k * width + k];
        beta[k] += system[k * width + n];
    }
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    int n = n_features;
    float *weight, *error, *system;

    cudaMalloc(&weight, n_samples * sizeof(float));
    cudaMalloc(&error, n_samples * sizeof(float));
    cudaMalloc(&system, n * (n + 1) * sizeof(float));
    for (int i = 0; i < STEPS; i++) {
        predict<<<(n_samples + 255) / 256, 256>>>(X, y, beta, weight, error, n_samples, n);
        derive<<<dim3((n + 16) / 16, (n + 15) / 16), dim3(16, 16)>>>(X, weight, error, system, n_samples, n);
        step<<<1, dim3(32, 16)>>>(system, beta, n);
    }
    cudaFree(weight);
    cudaFree(error);
    cudaFree(system);
}
