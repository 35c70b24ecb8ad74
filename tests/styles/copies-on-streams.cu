// warpjudge: multi-stream-gemm
// Pairs of buffers on two streams, allocated in stream order; events keep nothing waiting.
__global__ void multiply(const float *A, const float *B, float *C, int M, int N, int K)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
    float sum = 0;

    if (n >= N)
        return;
    for (int k = 0; k < K; k++)
        sum += A[m * K + k] * B[k * N + n];
    C[m * N + n] = sum;
}

extern "C" void
solve(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    const size_t left = sizeof(float) * M * K, right = sizeof(float) * M * N;
    cudaStream_t stream[2];
    float *a[2], *c[2];

    for (int s = 0; s < 2; s++) {
        cudaStreamCreateWithPriority(&stream[s], cudaStreamNonBlocking, 0);
        cudaMallocAsync(&a[s], left, stream[s]);
        cudaMallocAsync(&c[s], right, stream[s]);
    }
    for (int b = 0; b < batch; b++) {
        const int s = b % 2;
        cudaMemcpyAsync(a[s], A + (size_t)b * M * K, left, cudaMemcpyHostToDevice, stream[s]);
        multiply<<<dim3((N + 63) / 64, M), 64, 0, stream[s]>>>(a[s], B, c[s], M, N, K);
        cudaMemcpyAsync(C + (size_t)b * M * N, c[s], right, cudaMemcpyDeviceToHost, stream[s]);
    }
    for (int s = 0; s < 2; s++) {
        cudaFreeAsync(a[s], stream[s]);
        cudaFreeAsync(c[s], stream[s]);
        cudaStreamSynchronize(stream[s]);
        cudaStreamDestroy(stream[s]);
    }
}
