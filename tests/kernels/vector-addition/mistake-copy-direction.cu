// warpjudge: vector-addition
// expect: runtime_error
// says: has its destination in the device's memory and its source in the host's
// Copies with the wrong kind.
#include <cuda_runtime.h>
#include <vector>
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::vector<float> a(N), b(N), c(N);
    cudaMemcpy(a.data(), A, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b.data(), B, N * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < N; i++)
        c[i] = a[i] + b[i];
    cudaMemcpy(C, c.data(), N * sizeof(float), cudaMemcpyDeviceToHost);
}
