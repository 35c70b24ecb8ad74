// warpjudge: axis-reduction
// expect: wrong_answer
// Reads R neighbours in memory, as if the axis were the last one: right only for B = 1.
#include <cuda_runtime.h>

__global__ void
reduce(const float *input, float *output, int A, int R, int B, int op)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= A * B)
        return;
    const float *at = input + (size_t)i * R;
    float result = at[0];

    for (int r = 1; r < R; r++) {
        if (op == 1)
            result = fmaxf(result, at[r]);
        else if (op == 2)
            result = fminf(result, at[r]);
        else
            result += at[r];
    }
    output[i] = op == 3 ? result / R : result;
}

extern "C" void
solve(const float *input, float *output, int A, int R, int B, int op)
{
    reduce<<<(A * B + 255) / 256, 256>>>(input, output, A, R, B, op);
}
