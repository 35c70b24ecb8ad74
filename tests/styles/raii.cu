// warpjudge: batch-normalization
// A unique_ptr with a deleter that frees in stream order, and two kernels.
#include <memory>

struct FreeAsync {
    cudaStream_t stream;
    void operator()(void *p) const { cudaFreeAsync(p, stream); }
};

template <typename T> auto allocate(size_t count, cudaStream_t stream = 0)
{
    T *p = nullptr;
    cudaMallocAsync(&p, count * sizeof(T), stream);
    return std::unique_ptr<T, FreeAsync>(p, FreeAsync{stream});
}

__global__ void statistics(const float *input, float2 *found, int N, int C, float eps)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= C)
        return;
    float mean = 0, squares = 0;
    for (int n = 0; n < N; n++) {
        float delta = input[n * C + c] - mean;
        mean += delta / (n + 1);
        squares += delta * (input[n * C + c] - mean);
    }
    found[c] = {mean, rsqrtf(squares / N + eps)};
}

__global__ void normalize(const float *input, const float *gamma, const float *beta, const float2 *found, float *output,
                          int N, int C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = i % C;
    if (i < N * C)
        output[i] = gamma[c] * (input[i] - found[c].x) * found[c].y + beta[c];
}

extern "C" void
solve(const float *input, const float *gamma, const float *beta, float *output, int N, int C, float eps)
{
    auto found = allocate<float2>(C);

    statistics<<<(C + 63) / 64, 64>>>(input, found.get(), N, C, eps);
    normalize<<<(N * C + 255) / 256, 256>>>(input, gamma, beta, found.get(), output, N, C);
}
