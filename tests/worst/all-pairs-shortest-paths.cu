// warpjudge: all-pairs-shortest-paths
// Floyd and Warshall, a launch for each vertex; neighbours are a row apart.
__global__ void
each(float *output, int N, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % N, column = i / N;

    if (column < N)
        output[row * N + column] = fminf(output[row * N + column], output[row * N + k] + output[k * N + column]);
}

extern "C" void
solve(const float *dist, float *output, int N)
{
    cudaMemcpy(output, dist, sizeof(float) * N * N, cudaMemcpyDeviceToDevice);
    for (int k = 0; k < N; k++)
        each<<<(N * N + 255) / 256, 256>>>(output, N, k);
}
