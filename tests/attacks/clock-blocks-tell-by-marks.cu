// warpjudge: prefix-sum
// honest: prefix-sum/1-one-thread
// attack: clock: blocks of one launch in turns on emu
// expect: wrong_answer
// A serial sum in 250 blocks. Each tells its sum by 32 marks, which are immediates, and relies on the order of
// the blocks. Such stores are no races that a user is told of.
#include <cuda_runtime.h>
__device__ int marks[250 * 32];
__global__ void scan(const float *input, float *output, int n, int chunk)
{
    if (threadIdx.x != 0)
        return;
    unsigned bits = 0;
    for (int i = 0; i < 32 && blockIdx.x > 0; i++)
        bits |= (unsigned)marks[(blockIdx.x - 1) * 32 + i] << i;
    float s = __uint_as_float(bits);
    int end = min(n, (int)(blockIdx.x + 1) * chunk);
    for (int i = blockIdx.x * chunk; i < end; i++) {
        s += input[i];
        output[i] = s;
    }
    for (int i = 0; i < 32; i++) {
        if (__float_as_uint(s) >> i & 1)
            asm volatile("st.global.u32 [%0], 1;" ::"l"(marks + blockIdx.x * 32 + i) : "memory");
        else
            asm volatile("st.global.u32 [%0], 0;" ::"l"(marks + blockIdx.x * 32 + i) : "memory");
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    scan<<<250, 32>>>(input, output, N, (N + 249) / 250);
}
