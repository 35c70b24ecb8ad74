// warpjudge: matrix-copy
// attack: clock: copies within the card while it is held and turns
// device: cuda
// expect: accepted honest-time|disqualified
// honest: matrix-copy/naive
// Copies within the card send nothing over its bus. A quarter of the matrix is copied in three
// ways that a copy engine might do beside the kernel that holds the card and while the card turns
// to this program; the kernel that copies the rest begins behind them. Where they need the same
// turn nothing is gained.
#include <cuda_runtime.h>
__global__ void copy(const float *A, float *B, long from, long to)
{
    long i = from + blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < to)
        B[i] = A[i];
}
extern "C" void solve(const float *A, float *B, int N)
{
    static cudaStream_t copies, kernels;
    static cudaEvent_t copied;
    const long all = (long)N * N, part = all / 12 / 4096 * 4096;
    const size_t bytes = part * sizeof(float);
    long done = 0;
    if (copies == nullptr) {
        cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    }
    if (N == 4096) {
        void *to[] = {B};
        const void *from[] = {A};
        size_t sizes[] = {bytes}, first[] = {0};
        cudaMemcpyAttributes how = {};
        how.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
        how.flags = cudaMemcpyFlagPreferOverlapWithCompute;
        if (cudaMemcpyBatchAsync(to, from, sizes, 1, &how, first, 1, copies) == cudaSuccess)
            done += part;
        cudaMemcpyPeerAsync(B + done, 0, A + done, 0, bytes, copies);
        done += part;
        cudaMemcpy2DAsync(B + done, bytes / 4, A + done, bytes / 4, bytes / 4, 4, cudaMemcpyDefault,
                          copies);
        done += part;
        cudaEventRecord(copied, copies);
        cudaStreamWaitEvent(kernels, copied, 0);
    }
    copy<<<(unsigned)((all - done + 255) / 256), 256, 0, kernels>>>(A, B, done, all);
    cudaGetLastError();
    cudaDeviceSynchronize();
}
