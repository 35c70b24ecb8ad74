// warpjudge: vector-addition
// expect: runtime_error
// says: which is not a multiple of 16, as a float4 needs (mistake-float4-shifted.cu:10)
// A float4 at an address that is not a multiple of 16.
#include <cuda_runtime.h>
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i < N) {
        float4 a = *(const float4 *)(A + i + 1), b = *(const float4 *)(B + i);
        *(float4 *)(C + i) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N / 4 + 255) / 256 + 1, 256>>>(A, B, C, N);
}
