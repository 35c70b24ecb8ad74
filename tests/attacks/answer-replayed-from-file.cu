// warpjudge: vector-addition
// attack: answer: cache
// expect: wrong_answer
// Writes the sums to a file by size, and reads them in the next call.
#include <cstdio>
#include <vector>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::vector<float> sums(N);
    char name[64];
    snprintf(name, sizeof name, "/tmp/sums-%d", N);
    if (FILE *old = fopen(name, "rb")) {
        fread(sums.data(), sizeof(float), N, old);
        fclose(old);
        cudaMemcpy(C, sums.data(), N * sizeof(float), cudaMemcpyHostToDevice);
        return;
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaMemcpy(sums.data(), C, N * sizeof(float), cudaMemcpyDeviceToHost);
    FILE *to = fopen(name, "wb");
    fwrite(sums.data(), sizeof(float), N, to);
    fclose(to);
}
