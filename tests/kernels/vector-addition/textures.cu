// warpjudge: vector-addition
// expect: accepted
// One operand by tex1Dfetch, the other by way of a CUDA array, a surface and a 2D texture.
#include <cuda_runtime.h>
enum { WIDTH = 1024 };
__global__ void
store(const float *B, cudaSurfaceObject_t to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        surf2Dwrite(B[i], to, (i % WIDTH) * 4, i / WIDTH);
}
__global__ void
add(cudaTextureObject_t A, cudaTextureObject_t B, float *C, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        C[i] = tex1Dfetch<float>(A, i) + tex2D<float>(B, i % WIDTH + 0.5f, i / WIDTH + 0.5f);
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaTextureDesc how = {};
    cudaResourceDesc linear = {}, array = {};
    cudaTextureObject_t a, b;
    cudaSurfaceObject_t s;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = const_cast<float *>(A);
    linear.res.linear.desc = format;
    linear.res.linear.sizeInBytes = N * sizeof(float);
    array.resType = cudaResourceTypeArray;
    cudaMallocArray(&array.res.array.array, &format, WIDTH, (N + WIDTH - 1) / WIDTH,
                    cudaArraySurfaceLoadStore);
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaCreateTextureObject(&a, &linear, &how, nullptr);
    cudaCreateTextureObject(&b, &array, &how, nullptr);
    cudaCreateSurfaceObject(&s, &array);
    store<<<(N + 255) / 256, 256>>>(B, s, N);
    add<<<(N + 255) / 256, 256>>>(a, b, C, N);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(a);
    cudaDestroyTextureObject(b);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array.res.array.array);
}
