/* In double, each output rounded once. */
__global__ static void
rotate(const float *Q, const float *cosines, const float *sines, float *output,
       size_t count, size_t D)
{
    const size_t step = (size_t)gridDim.x * blockDim.x, h = D / 2;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        double partner = i % D < h ? -(double)Q[i + h] : (double)Q[i - h];

        output[i] = (float)((double)Q[i] * cosines[i] + partner * sines[i]);
    }
}

extern "C" void
solve(const float *Q, const float *cos, const float *sin, float *output, int M, int D)
{
    rotate<<<8192, 256>>>(Q, cos, sin, output, (size_t)M * D, (size_t)D);
}
