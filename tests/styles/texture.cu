// warpjudge: rgb-to-grayscale
// Reads through a texture object of linear memory.
#include <cuda_runtime.h>

__global__ void gray(cudaTextureObject_t input, float *output, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pixels)
        output[i] = 0.299f * tex1Dfetch<float>(input, 3 * i) + 0.587f * tex1Dfetch<float>(input, 3 * i + 1) +
                    0.114f * tex1Dfetch<float>(input, 3 * i + 2);
}

extern "C" void
solve(const float *input, float *output, int width, int height)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t object = 0;

    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float *>(input);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = (size_t)width * height * 3 * sizeof(float);
    texture.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    gray<<<(width * height + 255) / 256, 256>>>(object, output, width * height);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(object);
}
