// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: idle work on emu
// expect: accepted honest-time
// One thread does everything. 131 blocks and 31 warps of its own block are there to share its time.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n)
{
    if (blockIdx.x == 77 && threadIdx.x == 500) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += input[i];
            output[i] = sum;
        }
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<132, 1024>>>(input, output, N);
}
