// warpjudge: sorting
// A bitonic network with a launch for each step, padded to a power of two.
__global__ void
pad(const float *data, float *padded, int N, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < size)
        padded[i] = i < N ? data[i] : INFINITY;
}

__global__ void
step(float *padded, int size, int run, int distance)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;

    if (i < size && other > i && (padded[i] > padded[other]) == ((i & run) == 0)) {
        float kept = padded[i];

        padded[i] = padded[other];
        padded[other] = kept;
    }
}

extern "C" void
solve(float *data, int N)
{
    float *padded;
    int size = 1;

    while (size < N)
        size *= 2;
    cudaMalloc(&padded, size * sizeof *padded);
    pad<<<(size + 255) / 256, 256>>>(data, padded, N, size);
    for (int run = 2; run <= size; run *= 2)
        for (int distance = run / 2; distance > 0; distance /= 2)
            step<<<(size + 255) / 256, 256>>>(padded, size, run, distance);
    cudaMemcpy(data, padded, N * sizeof *data, cudaMemcpyDeviceToDevice);
    cudaFree(padded);
}
