// warpjudge: stream-overlap
// expect: wrong_answer
// The number of chunks is rounded down: the rest that fills none is never computed.
#include <cuda_runtime.h>

#define STREAMS 4

__global__ void
sums(float *values, int N, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;

    if (i >= N)
        return;
    for (int k = 1; k <= terms; k++)
        sum += sinf(k * values[i]) / k;
    values[i] = sum;
}

extern "C" void
solve(const float *input, float *output, int N, int terms)
{
    int chunk = 4096;
    cudaStream_t stream[STREAMS];
    float *room[STREAMS];

    for (int s = 0; s < STREAMS; s++) {
        cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        cudaMalloc(&room[s], chunk * sizeof(float));
    }
    for (int first = 0, s = 0; first + chunk <= N; first += chunk, s = (s + 1) % STREAMS) {
        int count = chunk;
        size_t bytes = count * sizeof(float);

        cudaMemcpyAsync(room[s], input + first, bytes, cudaMemcpyHostToDevice, stream[s]);
        sums<<<(count + 255) / 256, 256, 0, stream[s]>>>(room[s], count, terms);
        cudaMemcpyAsync(output + first, room[s], bytes, cudaMemcpyDeviceToHost, stream[s]);
    }
    for (int s = 0; s < STREAMS; s++) {
        cudaStreamSynchronize(stream[s]);
        cudaStreamDestroy(stream[s]);
        cudaFree(room[s]);
    }
}
