// warpjudge: vector-addition
// expect: runtime_error
// says: outside a surface
// The surface has one row too few.
#include <cuda_runtime.h>
__global__ void
store(const float *A, const float *B, float *C, cudaSurfaceObject_t to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        C[i] = A[i] + B[i];
        surf2Dwrite(C[i], to, (i % 32) * 4, i / 32);
    }
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc array = {};
    cudaSurfaceObject_t s;
    array.resType = cudaResourceTypeArray;
    cudaMallocArray(&array.res.array.array, &format, 2, 1, cudaArraySurfaceLoadStore);
    cudaCreateSurfaceObject(&s, &array);
    store<<<(N + 255) / 256, 256>>>(A, B, C, s, N);
    cudaDeviceSynchronize();
}
