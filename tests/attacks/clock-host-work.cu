// warpjudge: vector-addition
// attack: clock: work on the host
// expect: accepted honest-time
// Fetches the inputs, adds on the host, and sends back the sums: no kernel to count.
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::vector<float> a(N), b(N);
    cudaMemcpy(a.data(), A, N * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(b.data(), B, N * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        a[i] += b[i];
    cudaMemcpy(C, a.data(), N * sizeof(float), cudaMemcpyHostToDevice);
}
