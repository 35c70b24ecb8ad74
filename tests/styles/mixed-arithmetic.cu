// warpjudge: monte-carlo-integration
// fmax(0, x), sqrt(2), pow(x, 2) and std::max in a kernel; doubles and floats mixed.
#include <algorithm>
#include <cmath>

__global__ void add_up(const float *y, double *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, stride = blockDim.x * gridDim.x;
    double sum = 0;

    for (; i < n; i += stride)
        sum += fmax(y[i], 0) + fmin(0, y[i]) + (sqrt(4) - pow(2, 1)) * std::max(1, 2) + std::abs(0 * y[i]);
    atomicAdd(total, sum);
}
__global__ void finish(const double *total, float *result, float a, float b, int n)
{
    *result = (b - a) * *total / n * std::min(1.0, std::sqrt(1));
}

extern "C" void
solve(const float *y_samples, float *result, float a, float b, int n_samples)
{
    double *total;

    cudaMalloc(&total, sizeof(double));
    cudaMemset(total, 0, sizeof(double));
    add_up<<<32, 256>>>(y_samples, total, n_samples);
    finish<<<1, 1>>>(total, result, a, b, n_samples);
    cudaFree(total);
}
