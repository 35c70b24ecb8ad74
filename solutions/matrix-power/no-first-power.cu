// warpjudge: matrix-power
// expect: wrong_answer
// For P = 1 nothing is ever written.
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    float sum = 0;

    if (j >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

extern "C" void
solve(const float *input, float *output, int N, int P)
{
    const float *power = input;
    float *room[2];

    cudaMalloc(&room[0], sizeof(float) * N * N);
    cudaMalloc(&room[1], sizeof(float) * N * N);
    for (int p = 2; p <= P; p++) {
        float *to = p == P ? output : room[p % 2];

        multiply<<<dim3((N + 63) / 64, N), 64>>>(power, input, to, N);
        power = to;
    }
    cudaDeviceSynchronize();
    cudaFree(room[0]);
    cudaFree(room[1]);
}
