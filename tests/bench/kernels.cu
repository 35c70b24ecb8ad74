// What tests/bench/emulator.c runs: the kernels whose speed issue 3 sets goals for, in the
// form in which they are taught, and one that does nothing. plain.c has the same work in C.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < n && col < n) {
        float sum = 0.0f;

        for (int k = 0; k < n; k++)
            sum += a[row * n + k] * b[k * n + col];
        c[row * n + col] = sum;
    }
}

#define TILE 16

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float at[TILE][TILE], bt[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, col = blockIdx.x * TILE + x;
    float sum = 0.0f;

    for (int t = 0; t < n; t += TILE) {
        at[y][x] = row < n && t + x < n ? a[row * n + t + x] : 0.0f;
        bt[y][x] = col < n && t + y < n ? b[(t + y) * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += at[y][k] * bt[k][x];
        __syncthreads();
    }
    if (row < n && col < n)
        c[row * n + col] = sum;
}

// One sum a block of 256: shuffles within the warps, then within the first one.
extern "C" __global__ void block_sums(const float *in, float *sums, int n)
{
    __shared__ float warps[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = i < n ? in[i] : 0.0f;

    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffff, v, k);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? warps[lane] : 0.0f;
        for (int k = 16; k > 0; k /= 2)
            v += __shfl_down_sync(0xffffffff, v, k);
        if (lane == 0)
            sums[blockIdx.x] = v;
    }
}

extern "C" __global__ void nothing()
{
}
