// warpjudge: vector-addition
// expect: runtime_error
// says: which is not a multiple of 16
// The unaligned elements are taken from the front, so that the float4s are not aligned.
__global__ void
va(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int t = N % 4;
    if (i < t)
        C[i] = A[i] + B[i];
    int k = i * 4 + t;
    if (k + 3 < N) {
        float4 a = *(float4 *)(A + k), b = *(float4 *)(B + k);
        *(float4 *)(C + k) = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}
extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    va<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}
