// warpjudge: axis-reduction
// expect: accepted
// One thread for each output goes along the axis.
#include <cuda_runtime.h>

__global__ void
reduce(const float *input, float *output, int A, int R, int B, int op)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= A * B)
        return;
    const float *at = input + (size_t)(i / B) * R * B + i % B;
    float result = at[0];

    for (int r = 1; r < R; r++) {
        float v = at[(size_t)r * B];

        if (op == 1)
            result = fmaxf(result, v);
        else if (op == 2)
            result = fminf(result, v);
        else
            result += v;
    }
    output[i] = op == 3 ? result / R : result;
}

extern "C" void
solve(const float *input, float *output, int A, int R, int B, int op)
{
    reduce<<<(A * B + 255) / 256, 256>>>(input, output, A, R, B, op);
    cudaDeviceSynchronize();
}
