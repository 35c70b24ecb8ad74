// warpjudge: matrix-power
// P - 1 products, a thread for each element; neighbours are a row apart.
__global__ void
each(const float *left, const float *right, float *product, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int row = i % N, column = i / N;
    float sum = 0;

    if (column >= N)
        return;
    for (int t = 0; t < N; t++)
        sum += left[row * N + t] * right[t * N + column];
    product[row * N + column] = sum;
}

extern "C" void
solve(const float *input, float *output, int N, int P)
{
    float *other;

    cudaMalloc(&other, sizeof(float) * N * N);
    cudaMemcpy(output, input, sizeof(float) * N * N, cudaMemcpyDeviceToDevice);
    for (int p = 1; p < P; p++) {
        each<<<(N * N + 255) / 256, 256>>>(output, input, other, N);
        cudaMemcpy(output, other, sizeof(float) * N * N, cudaMemcpyDeviceToDevice);
    }
    cudaFree(other);
}
