// warpjudge: vector-addition
// attack: answer: right at first
// expect: wrong_answer
// expect-cuda: wrong_answer
// says: a timed call (N=
// Right once for each size, then it leaves the buffer as it is.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int size;
    if (size != N)
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    size = N;
}
