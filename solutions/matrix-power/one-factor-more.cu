// warpjudge: matrix-power
// expect: wrong_answer
// Multiplies P times instead of P - 1 times.
#include <cuda_runtime.h>

__global__ void
multiply(const float *A, const float *B, float *C, int N)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i < N && j < N) {
        float sum = 0.0f;

        for (int k = 0; k < N; k++)
            sum += A[i * N + k] * B[k * N + j];
        C[i * N + j] = sum;
    }
}

extern "C" void
solve(const float *input, float *output, int N, int P)
{
    dim3 block(16, 16), grid((N + 15) / 16, (N + 15) / 16);
    size_t bytes = (size_t)N * N * sizeof(float);
    float *other;

    cudaMalloc(&other, bytes);
    cudaMemcpy(output, input, bytes, cudaMemcpyDeviceToDevice);
    for (int p = 0; p < P; p++) {
        multiply<<<grid, block>>>(output, input, other, N);
        cudaMemcpy(output, other, bytes, cudaMemcpyDeviceToDevice);
    }
    cudaFree(other);
}
