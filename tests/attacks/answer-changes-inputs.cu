// warpjudge: vector-addition
// attack: answer: changed inputs
// expect: wrong_answer
// Makes the inputs zeros, so that zeros are right.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaMemset((void *)A, 0, N * sizeof(float));
    cudaMemset((void *)B, 0, N * sizeof(float));
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
