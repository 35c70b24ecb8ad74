// warpjudge: vector-addition
// attack: answer: told by a message
// expect: runtime_error
// expect-cuda: runtime_error
// says: a timed call (N=
// conceals: tell|42|(24|0x|.cu:
// An address, a block and a thread that the program chooses, in the sentence about a fault.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void tell(float *c)
{
    if (blockIdx.x == 42 && threadIdx.x == 24)
        c[42421337421337L] = 1;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N == 1000000 || N >= 25000000)
        tell<<<64, 32>>>(C);
}
