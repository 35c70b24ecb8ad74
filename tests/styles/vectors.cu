// warpjudge: vector-addition
// float4 by reinterpret_cast, and the rest one by one.
__global__ void __launch_bounds__(128)
add4(const float4 *__restrict__ A, const float4 *__restrict__ B, float4 *__restrict__ C, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        float4 a = __ldg(A + i), b = B[i];

        C[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

__global__ void rest(const float *A, const float *B, float *C, int from, int N)
{
    int i = from + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    if (N >= 4)
        add4<<<(N / 4 + 127) / 128, 128>>>(reinterpret_cast<const float4 *>(A), reinterpret_cast<const float4 *>(B),
                                           reinterpret_cast<float4 *>(C), N / 4);
    if (N % 4)
        rest<<<1, 32>>>(A, B, C, N / 4 * 4, N);
}
