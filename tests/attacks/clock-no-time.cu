// warpjudge: vector-addition
// attack: clock: no time at all
// expect: wrong_answer
// A call that takes no time, where an average over tests would fall to nothing.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{

}
