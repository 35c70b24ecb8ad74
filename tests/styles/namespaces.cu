// warpjudge: vector-addition
// Nested, unnamed and inline namespaces, with solve inside one.
namespace {
constexpr int kThreads = 256;
}
namespace gpu::detail {
inline namespace v1 {
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}
}
}
namespace mine {
namespace d = gpu::detail;
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    d::add<<<(N + kThreads - 1) / kThreads, kThreads>>>(A, B, C, N);
}
}
