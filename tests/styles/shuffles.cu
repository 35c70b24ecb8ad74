// warpjudge: dot-product
// Warp shuffles, ballots, and dynamic shared memory of a template type.
template <typename T> __device__ T *shared_memory()
{
    extern __shared__ __align__(16) unsigned char memory[];

    return reinterpret_cast<T *>(memory);
}

__inline__ __device__ float warp_sum(float value)
{
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void dot(const float *A, const float *B, float *result, int N)
{
    float *parts = shared_memory<float>();
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float sum = 0;

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
        sum = fmaf(A[i], B[i], sum);
    sum = warp_sum(sum);
    if (lane == 0)
        parts[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? parts[lane] : 0;
        sum = warp_sum(sum);
        if (!lane)
            atomicAdd(result, sum);
    }
}

extern "C" void
solve(const float *A, const float *B, float *result, int N)
{
    dot<<<128, 256, 256 / 32 * sizeof(float)>>>(A, B, result, N);
}
