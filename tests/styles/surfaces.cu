// warpjudge: sigmoid-linear-unit
// Through a cudaArray: copied in, changed by a surface object, copied out.
constexpr int width = 512;

__global__ void silu(cudaSurfaceObject_t surface, int N)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    float v;

    if (x >= width || y * width + x >= N)
        return;
    surf2Dread(&v, surface, x * (int)sizeof(float), y);
    surf2Dwrite(v / (1 + expf(-v)), surface, x * (int)sizeof(float), y);
}

extern "C" void
solve(const float *input, float *output, int N)
{
    const int rows = (N + width - 1) / width, whole = N / width, rest = N % width;
    const size_t line = width * sizeof(float);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    cudaArray_t array;

    cudaMallocArray(&array, &format, width, rows, cudaArraySurfaceLoadStore);
    if (whole > 0)
        cudaMemcpy2DToArray(array, 0, 0, input, line, line, whole, cudaMemcpyDeviceToDevice);
    if (rest > 0)
        cudaMemcpy2DToArray(array, 0, whole, input + (size_t)whole * width, line, rest * sizeof(float), 1,
                            cudaMemcpyDeviceToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    silu<<<dim3(width / 128, rows), 128>>>(surface, N);
    if (whole > 0)
        cudaMemcpy2DFromArray(output, line, array, 0, 0, line, whole, cudaMemcpyDeviceToDevice);
    if (rest > 0)
        cudaMemcpy2DFromArray(output + (size_t)whole * width, line, array, 0, whole, rest * sizeof(float), 1,
                              cudaMemcpyDeviceToDevice);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}
