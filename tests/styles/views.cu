// warpjudge: 2d-jacobi-stencil
// A view of a grid with operator(), and copies of the border by cudaMemcpyAsync on two streams.
template <typename T> struct View {
    T *data;
    int rows, cols;
    __host__ __device__ T &operator()(int i, int j) const { return data[(size_t)i * cols + j]; }
    __host__ __device__ bool inner(int i, int j) const
    {
        return i > 0 && j > 0 && i < rows - 1 && j < cols - 1;
    }
};

__global__ void sweep(View<const float> in, View<float> out)
{
    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < out.rows; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < out.cols; j += gridDim.x * blockDim.x)
            if (out.inner(i, j))
                out(i, j) = (in(i - 1, j) + in(i + 1, j) + in(i, j - 1) + in(i, j + 1)) / 4;
}

extern "C" void
solve(const float *input, float *output, int rows, int cols)
{
    cudaStream_t stream;
    cudaEvent_t copied;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaMemcpyAsync(output, input, sizeof(float) * rows * cols, cudaMemcpyDeviceToDevice, stream);
    cudaEventRecord(copied, stream);
    cudaStreamWaitEvent(0, copied, 0);
    sweep<<<dim3(16, 16), dim3(32, 8)>>>({input, rows, cols}, {output, rows, cols});
    cudaStreamDestroy(stream);
    cudaEventDestroy(copied);
}
