// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: idle work on emu
// expect: accepted honest-time
// One thread does everything. The other warps load what L1 has, so that the average load is a fast one.
#include <cuda_runtime.h>
__global__ void scan(const float *input, float *output, int n)
{
    if (threadIdx.x == 0) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += input[i];
            output[i] = sum;
        }
    } else if (threadIdx.x >= 32) {
        int same = n < 8 ? n : 8;
        for (int i = 0; i < n; i++)
            if (__ldg(input + i % same) == -12345.678f)
                output[0] = 0;
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<1, 128>>>(input, output, N);
}
