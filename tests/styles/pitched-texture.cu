// warpjudge: 2d-convolution
// cudaMallocPitch, a 2D texture of pitched memory, and point sampling.
__global__ void convolve(cudaTextureObject_t image, const float *__restrict__ kernel, float *output, int rows, int cols,
                         int krows, int kcols)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (i >= rows || j >= cols)
        return;
    for (int m = 0; m < krows; m++)
        for (int n = 0; n < kcols; n++)
            sum += tex2D<float>(image, j + n + 0.5f, i + m + 0.5f) * __ldg(&kernel[m * kcols + n]);
    output[i * cols + j] = sum;
}

extern "C" void
solve(const float *input, const float *kernel, float *output, int input_rows, int input_cols, int kernel_rows,
      int kernel_cols)
{
    const int rows = input_rows - kernel_rows + 1, cols = input_cols - kernel_cols + 1;
    const size_t line = input_cols * sizeof(float);
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};
    cudaTextureObject_t image;
    float *copy;
    size_t pitch;

    cudaMallocPitch((void **)&copy, &pitch, line, input_rows);
    cudaMemcpy2D(copy, pitch, input, line, line, input_rows, cudaMemcpyDeviceToDevice);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = copy;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = input_cols;
    resource.res.pitch2D.height = input_rows;
    resource.res.pitch2D.pitchInBytes = pitch;
    sampling.filterMode = cudaFilterModePoint;
    sampling.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&image, &resource, &sampling, nullptr);
    convolve<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(image, kernel, output, rows, cols, kernel_rows,
                                                                       kernel_cols);
    cudaDestroyTextureObject(image);
    cudaFree(copy);
}
