// warpjudge: vector-addition
// attack: answer: wrong minority
// expect: wrong_answer
// Leaves out every tenth block, where a ratio of right elements is enough.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void most(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x % 10 != 9)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    most<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
