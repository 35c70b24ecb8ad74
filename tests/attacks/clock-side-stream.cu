// warpjudge: vector-addition
// attack: clock: side stream
// expect: accepted honest-time
// Launches on a non-blocking stream and returns without waiting, so that events around the
// call would miss the work.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static cudaStream_t stream;
    if (!stream)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    add<<<(N + 255) / 256, 256, 0, stream>>>(A, B, C, N);
}
