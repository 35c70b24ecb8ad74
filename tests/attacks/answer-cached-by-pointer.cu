// warpjudge: vector-addition
// attack: answer: cache
// expect: wrong_answer
// The same buffers again: then the sums must be the same as before.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const float *a, *b;
    static float *kept;
    if (a == A && b == B && kept) {
        cudaMemcpy(C, kept, N * sizeof(float), cudaMemcpyDeviceToDevice);
        return;
    }
    a = A;
    b = B;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaMalloc(&kept, N * sizeof(float));
    cudaMemcpy(kept, C, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
