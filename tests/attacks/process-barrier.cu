// warpjudge: vector-addition
// attack: process: deadlock on a barrier
// expect: runtime_error|time_limit
// expect-cuda: time_limit|runtime_error
// Half of the threads wait at a barrier that the others never reach; the others wait for
// them.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void wait(volatile float *c)
{
    __shared__ volatile int met;
    if (threadIdx.x == 0)
        met = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        __syncthreads();
        met = 1;
    } else {
        while (met == 0)
            ;
    }
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    wait<<<1, 64>>>(C);
}
