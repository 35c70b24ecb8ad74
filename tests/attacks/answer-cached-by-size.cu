// warpjudge: vector-addition
// attack: answer: cache
// expect: wrong_answer
// The same size again: then the sums must be the same as before.
#include <map>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static std::map<int, float *> kept;
    if (kept.count(N)) {
        cudaMemcpy(C, kept[N], N * sizeof(float), cudaMemcpyDeviceToDevice);
        return;
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaMalloc(&kept[N], N * sizeof(float));
    cudaMemcpy(kept[N], C, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
