// warpjudge: stream-overlap
// not-modelled: times of concurrent streams add up
// expect: accepted
// idea: The bus idles while the kernel works, and each of its directions idles while the other
//   copies. Cut the work into chunks on several streams, so that copies in, kernels and copies out
//   overlap.
// Against step 2: chunks on four streams in turn. While one is copied in, another is computed and a
// third copied out. Work on one stream keeps its order, so each stream uses its own buffer again.
// H200: 3.48 ms, 2.7 times as fast as step 2
#include <cuda_runtime.h>

#define STREAMS 4
#define CHUNK (1 << 21)

__global__ void
sums(float *values, int N, int terms)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sine, cosine, sum = 0.0f;

    if (i >= N)
        return;
    sincosf(values[i], &sine, &cosine);
    float s = sine, c = cosine; // of k * x

    for (int k = 1; k <= terms; k++) {
        float next = s * cosine + c * sine;

        sum += s * (1.0f / k);
        c = c * cosine - s * sine;
        s = next;
    }
    values[i] = sum;
}

extern "C" void
solve(const float *input, float *output, int N, int terms)
{
    int chunk = N < CHUNK ? N : CHUNK;
    cudaStream_t stream[STREAMS];
    float *room[STREAMS];

    for (int s = 0; s < STREAMS; s++) {
        cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking);
        cudaMalloc(&room[s], chunk * sizeof(float));
    }
    for (int first = 0, s = 0; first < N; first += chunk, s = (s + 1) % STREAMS) {
        int count = N - first < chunk ? N - first : chunk;
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
