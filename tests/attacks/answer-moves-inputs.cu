// warpjudge: vector-addition
// attack: answer: changed inputs
// expect: wrong_answer
// says: changed its input
// Adds in place, into an input: the sums are right, the inputs are not what they were.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaMemcpy((void *)A, C, N * sizeof(float), cudaMemcpyDeviceToDevice);
}
