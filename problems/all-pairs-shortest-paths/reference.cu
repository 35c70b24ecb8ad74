/* Floyd and Warshall's algorithm in double, a kernel for each vertex on the way; row and column k
 * do not change in step k, so that all pairs can be looked at together. */
__global__ static void
begin(const float *dist, double *d, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        d[i] = dist[i];
}

__global__ static void
step(double *d, int N, int k)
{
    int i = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    int j = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < N && j < N) {
        double way = d[(size_t)i * N + k] + d[(size_t)k * N + j], now = d[(size_t)i * N + j];

        if (way < now)
            d[(size_t)i * N + j] = way;
    }
}

__global__ static void
finish(const double *d, float *output, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        output[i] = (float)d[i];
}

extern "C" void
solve(const float *dist, float *output, int N)
{
    size_t count = (size_t)N * N;
    unsigned blocks = (unsigned)((count + 255) / 256);
    dim3 grid((unsigned)(N + 31) / 32, (unsigned)(N + 7) / 8), block(32, 8);
    double *d;

    if (cudaMalloc(&d, count * sizeof *d) != cudaSuccess)
        return;
    begin<<<blocks, 256>>>(dist, d, count);
    for (int k = 0; k < N; k++)
        step<<<grid, block>>>(d, N, k);
    finish<<<blocks, 256>>>(d, output, count);
    cudaFree(d);
}
