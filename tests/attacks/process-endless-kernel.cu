// warpjudge: vector-addition
// attack: process: endless kernel
// expect: time_limit
// A kernel that never ends.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void spin(volatile int *stop)
{
    while (*stop == 0)
        ;
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static int *stop;
    cudaMalloc(&stop, sizeof *stop);
    cudaMemset(stop, 0, sizeof *stop);
    spin<<<1, 1>>>(stop);
}
