// warpjudge: vector-addition
// expect: accepted
// idea: Each element of C is one addition. Begin with one block whose threads share the elements,
//   as threads of a CPU share a loop.
// A loop as on a CPU, shared out among the threads of one block: thread t adds the elements t,
// t + 1024, t + 2048, ... Right, but one block runs on one multiprocessor, and the other 131 of an
// H200 do nothing.
// H200: 10.4 ms
#include <cuda_runtime.h>

__global__ void
add(const float *A, const float *B, float *C, int N)
{
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<1, 1024>>>(A, B, C, N);
}
