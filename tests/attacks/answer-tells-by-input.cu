// warpjudge: vector-addition
// attack: answer: told by a message
// expect: wrong_answer
// says: a timed call (N=
// conceals: 421|elements
// The same with as many elements of an input as it likes.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void tell(float *a)
{
    a[threadIdx.x] = 0;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N == 1000000 || N >= 25000000)
        tell<<<1, 421>>>(const_cast<float *>(A));
}
