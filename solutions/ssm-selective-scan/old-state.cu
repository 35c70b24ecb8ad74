// warpjudge: ssm-selective-scan
// expect: wrong_answer
// Reads the output from the states before the step.
#include <cuda_runtime.h>

#define STATES_MAX 64

__global__ void
scan(const float *u, const float *delta, const float *A, const float *B, const float *C,
     const float *skip, float *y, int batch, int seq_len, int d_model, int d_state)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    int b = channel / d_model, d = channel % d_model;
    float h[STATES_MAX] = {};

    if (b >= batch)
        return;
    for (int t = 0; t < seq_len; t++) {
        size_t at = ((size_t)b * seq_len + t) * d_model + d;
        size_t row = ((size_t)b * seq_len + t) * d_state;
        float dt = delta[at], ut = u[at], sum = skip[d] * ut;

        for (int n = 0; n < d_state; n++) {
            sum += C[row + n] * h[n];
            h[n] = expf(dt * A[d * d_state + n]) * h[n] + dt * B[row + n] * ut;
        }
        y[at] = sum;
    }
}

extern "C" void
solve(const float *u, const float *delta, const float *A, const float *B, const float *C,
      const float *skip, float *y, int batch, int seq_len, int d_model, int d_state)
{
    int channels = batch * d_model;

    scan<<<(channels + 63) / 64, 64>>>(u, delta, A, B, C, skip, y, batch, seq_len,
                                       d_model, d_state);
}
