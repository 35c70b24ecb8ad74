// warpjudge: relu
// C++20: concepts, spans, designated initialisers, template lambdas, constinit.
#include <bit>
#include <concepts>
#include <numbers>
#include <span>

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

struct Shape {
    int blocks, threads;
};

__global__ void relu(const float *input, float *output, int N, Number auto floor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N) [[likely]]
        output[i] = input[i] > floor ? input[i] : floor;
}

constinit int threads = 256;

template <Number T> requires(sizeof(T) == 4) void launch(std::span<const T> input, T *output)
{
    const int n = (int)input.size();
    const Shape shape{.blocks = (n + threads - 1) / threads, .threads = std::bit_ceil(200u) == 256 ? threads : 1};

    relu<<<shape.blocks, shape.threads>>>(input.data(), output, n, T(0));
}

extern "C" void
solve(const float *input, float *output, int N)
{
    auto run = []<typename T>(const T *in, T *out, int n) { launch(std::span<const T>(in, n), out); };

    run(input, output, N);
}
