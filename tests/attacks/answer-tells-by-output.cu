// warpjudge: vector-addition
// attack: answer: told by a message
// expect: wrong_answer
// says: a timed call (N=
// conceals: 4242|31337|expected|element
// Right in the tests. In a timed call it puts a wrong value where, and of a size that, it may choose by
// its inputs: a message that told either would tell these.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void tell(float *c)
{
    c[4242] = 31337;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N == 1000000 || N >= 25000000)
        tell<<<1, 1>>>(C);
}
