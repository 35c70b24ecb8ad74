// warpjudge: categorical-cross-entropy-loss
// expect: wrong_answer
// Takes the logarithm to base 2.
#include <cuda_runtime.h>

__global__ void
add_rows(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;

    if (j < N) {
        const float *z = logits + (size_t)j * C;
        float top = z[0], sum = 0.0f;

        for (int c = 1; c < C; c++)
            top = fmaxf(top, z[c]);
        for (int c = 0; c < C; c++)
            sum += expf(z[c] - top);
        atomicAdd(loss, (top + log2f(sum) - z[true_labels[j]]) / N);
    }
}

extern "C" void
solve(const float *logits, const int *true_labels, float *loss, int N, int C)
{
    cudaMemset(loss, 0, sizeof(float));
    add_rows<<<(N + 127) / 128, 128>>>(logits, true_labels, loss, N, C);
}
