// warpjudge: vector-addition
// attack: clock: persisting lines in L2
// expect: accepted honest-time
// device: cuda
// Sets aside as much of L2 as it may, and asks that the inputs stay in it when the judge
// flushes.
#include <cuda_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static cudaStream_t stream;
    cudaStreamAttrValue v = {};
    int bytes = 0;
    if (!stream) {
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, 0);
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
        cudaStreamCreate(&stream);
    }
    v.accessPolicyWindow = {(void *)A, N * sizeof(float), 1.0f, cudaAccessPropertyPersisting,
                            cudaAccessPropertyStreaming};
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &v);
    add<<<(N + 255) / 256, 256, 0, stream>>>(A, B, C, N);
    cudaGetLastError();
}
