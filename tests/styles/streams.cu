// warpjudge: vector-addition
// Halves in two streams that events order; non-blocking, with priorities.
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    cudaStream_t stream[2];
    cudaEvent_t done;
    int half = N / 2, least, greatest;

    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithFlags(&stream[0], cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&stream[1], cudaStreamNonBlocking, greatest);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    if (half > 0)
        add<<<(half + 255) / 256, 256, 0, stream[0]>>>(A, B, C, half);
    cudaEventRecord(done, stream[0]);
    cudaStreamWaitEvent(stream[1], done, 0);
    add<<<(N - half + 255) / 256, 256, 0, stream[1]>>>(A + half, B + half, C + half, N - half);
    for (cudaStream_t s : stream) {
        cudaStreamSynchronize(s);
        cudaStreamDestroy(s);
    }
    cudaEventDestroy(done);
}
