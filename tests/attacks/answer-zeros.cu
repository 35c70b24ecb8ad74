// warpjudge: vector-addition
// attack: answer: zeros
// expect: wrong_answer
// Zeros, in case that only differences above a large tolerance count.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaMemset(C, 0, N * sizeof(float));
}
