// warpjudge: 2d-max-pooling
// A home-made parallel_for whose body is a device lambda with captures.
#include <cfloat>

template <typename Body> __global__ void run_all(long count, Body body)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < count; i += (long)gridDim.x * blockDim.x)
        body(i);
}

template <typename Body> void parallel_for(long count, Body body)
{
    if (count > 0)
        run_all<<<(unsigned)min((count + 127) / 128, 4096L), 128>>>(count, body);
}

extern "C" void
solve(const float *input, float *output, int N, int C, int H, int W, int kernel_size, int stride, int padding)
{
    const int height = (H + 2 * padding - kernel_size) / stride + 1;
    const int width = (W + 2 * padding - kernel_size) / stride + 1;

    parallel_for((long)N * C * height * width, [=] __device__(long at) {
        const int x = at % width * stride - padding, y = at / width % height * stride - padding;
        const float *plane = input + at / ((long)width * height) * H * W;
        float top = -FLT_MAX;

        for (int i = max(y, 0); i < min(y + kernel_size, H); i++)
            for (int j = max(x, 0); j < min(x + kernel_size, W); j++)
                top = fmaxf(top, plane[i * W + j]);
        output[at] = top;
    });
}
