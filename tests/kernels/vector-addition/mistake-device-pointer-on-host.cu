// warpjudge: vector-addition
// expect: runtime_error
// says: device pointers cannot be dereferenced on the host
// The host reads device memory.
#include <cuda_runtime.h>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    for (int i = 0; i < N; i++)
        C[i] = A[i] + B[i];
}
