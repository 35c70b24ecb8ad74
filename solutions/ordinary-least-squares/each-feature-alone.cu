// warpjudge: ordinary-least-squares
// expect: wrong_answer
// Fits every feature alone, as if the columns were orthogonal.
#include <cuda_runtime.h>

__global__ void
fit(const float *X, const float *y, float *beta, int samples, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float with_y = 0.0f, with_itself = 0.0f;

    if (j >= n)
        return;
    for (int i = 0; i < samples; i++) {
        float x = X[i * n + j];

        with_y += x * y[i];
        with_itself += x * x;
    }
    beta[j] = with_y / with_itself;
}

extern "C" void
solve(const float *X, const float *y, float *beta, int n_samples, int n_features)
{
    fit<<<(n_features + 127) / 128, 128>>>(X, y, beta, n_samples, n_features);
}
