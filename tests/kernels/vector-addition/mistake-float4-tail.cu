// warpjudge: vector-addition
// expect: runtime_error
// says: reads A[0] to A[3]; A has 1 elements
// The last float4 reaches behind the end.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 < N) {
        float4 a = ((const float4 *)A)[i], b = ((const float4 *)B)[i];
        ((float4 *)C)[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N / 4 + 255) / 256 + 1, 256>>>(A, B, C, N);
}
