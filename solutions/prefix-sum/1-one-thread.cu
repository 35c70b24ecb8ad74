// warpjudge: prefix-sum
// expect: accepted
// idea: Each sum needs the one before it. Begin with one thread that adds up from the first element
//   to the last, as a CPU does.
// One thread adds up from the first to the last. Each sum needs the one before it: that is what makes
// a scan look sequential.
// H200: 12.7 ms
#include <cuda_runtime.h>

__global__ void
scan(const float *input, float *output, int N)
{
    float sum = 0.0f;

    for (int i = 0; i < N; i++) {
        sum += input[i];
        output[i] = sum;
    }
}

extern "C" void
solve(const float *input, float *output, int N)
{
    scan<<<1, 1>>>(input, output, N);
}
