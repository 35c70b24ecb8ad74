// warpjudge: vector-addition
// Kernels of types, numbers and packs; fold expressions; explicit instantiation.
#include <tuple>
#include <utility>

template <typename T, int Each, typename... Rest>
__global__ void add(T *out, int n, const Rest *...in)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * Each;

#pragma unroll
    for (int k = 0; k < Each; k++)
        if (first + k < n)
            out[first + k] = (in[first + k] + ...);
}

template __global__ void add<float, 4, float, float>(float *, int, const float *, const float *);

template <int Each> struct Launch {
    static constexpr int threads = 128;
    static auto shape(int n) { return std::pair{(n + threads * Each - 1) / (threads * Each), threads}; }
};

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    auto [blocks, threads] = Launch<4>::shape(N);

    add<float, 4><<<blocks, threads>>>(C, N, A, B);
}
