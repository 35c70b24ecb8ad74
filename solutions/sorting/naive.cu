// warpjudge: sorting
// expect: accepted
// A bitonic network over a copy that is padded with infinities to a power of two; each step of the
// network is a kernel of its own.
#include <cuda_runtime.h>

__global__ void
pad(float *room, int N, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= N && i < size)
        room[i] = INFINITY;
}

__global__ void
exchange(float *room, int size, int run, int distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (i >= size || other < i)
        return;
    float a = room[i], b = room[other];
    bool rising = (i & run) == 0;

    if (rising == (a > b)) {
        room[i] = b;
        room[other] = a;
    }
}

extern "C" void
solve(float *data, int N)
{
    int size = 1, blocks;
    float *room;

    while (size < N)
        size *= 2;
    blocks = (size + 255) / 256;
    cudaMalloc(&room, size * sizeof(float));
    cudaMemcpy(room, data, N * sizeof(float), cudaMemcpyDeviceToDevice);
    pad<<<blocks, 256>>>(room, N, size);
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2)
            exchange<<<blocks, 256>>>(room, size, run, distance);
    cudaMemcpy(data, room, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaFree(room);
}
