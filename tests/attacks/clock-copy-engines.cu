// warpjudge: rms-normalization
// attack: clock: no kernel at all
// device: cuda
// expect: disqualified
// says: sooner than
// The copy engines fetch the inputs and bring the answers without the card turning to this
// program's context, which takes 282 us there and back, and is subtracted from everybody.
#include <cmath>
#include <cuda_runtime.h>
extern "C" void solve(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    static float *host;
    double sum = 0;
    if (host == nullptr)
        cudaMallocHost(&host, 16 << 20);
    cudaMemcpy(host, input, N * sizeof(float), cudaMemcpyDeviceToHost);
    float part[16] = {};
    int i = 0;
    for (; i + 16 <= N; i += 16)
        for (int k = 0; k < 16; k++)
            part[k] += host[i + k] * host[i + k];
    for (int k = 0; k < 16; k++)
        sum += part[k];
    for (; i < N; i++)
        sum += (double)host[i] * host[i];
    float by = (float)(gamma / std::sqrt(sum / N + eps));
    for (i = 0; i < N; i++)
        host[i] = host[i] * by + beta;
    cudaMemcpy(output, host, N * sizeof(float), cudaMemcpyHostToDevice);
}
