// warpjudge: rms-normalization
// attack: clock: work on the host while the card turns
// device: cuda
// expect: accepted remark|disqualified
// honest: rms-normalization/naive
// An empty kernel has the card turn to this program's context and back, as everybody's does;
// meanwhile copy engines and the host make the answers. The card's turns are subtracted from
// nobody whose data went over its bus (bus_watch.h).
#include <cmath>
#include <cuda_runtime.h>
__global__ void nothing()
{
}
extern "C" void solve(const float *input, float gamma, float beta, float *output, int N, float eps)
{
    static float *host;
    static cudaStream_t turn, copies;
    double sum = 0;
    if (host == nullptr) {
        cudaMallocHost(&host, 16 << 20);
        cudaStreamCreateWithFlags(&turn, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    }
    cudaMemcpyAsync(host, input, N * sizeof(float), cudaMemcpyDeviceToHost, copies);
    nothing<<<1, 1, 0, turn>>>();
    cudaStreamSynchronize(copies);
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
    cudaMemcpyAsync(output, host, N * sizeof(float), cudaMemcpyHostToDevice, copies);
    cudaStreamSynchronize(copies);
}
