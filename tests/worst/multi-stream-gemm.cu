// warpjudge: multi-stream-gemm
// Everything is copied in, one thread multiplies in double, everything is copied out.
__global__ void
serial(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    for (int r = 0; r < batch * M; r++)
        for (int n = 0; n < N; n++) {
            double sum = 0;

            for (int k = 0; k < K; k++)
                sum += (double)A[r * K + k] * B[k * N + n];
            C[r * N + n] = (float)sum;
        }
}

extern "C" void
solve(const float *A, const float *B, float *C, int batch, int M, int N, int K)
{
    const size_t left = sizeof(float) * batch * M * K, right = sizeof(float) * batch * M * N;
    float *a, *c;

    cudaMalloc(&a, left);
    cudaMalloc(&c, right);
    cudaMemcpy(a, A, left, cudaMemcpyHostToDevice);
    serial<<<1, 1>>>(a, B, c, batch, M, N, K);
    cudaMemcpy(C, c, right, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(c);
}
