// warpjudge: vector-addition
// attack: clock: constant memory
// expect: compile_error
// A __constant__ variable of 64 MiB that holds an input: reads of it would cost no
// bandwidth. A GPU has 64 KiB, and ptxas refuses more.
__constant__ float table[16 << 20];
__global__ void add(const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = table[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    cudaMemcpyToSymbol(table, A, N * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    add<<<(N + 255) / 256, 256>>>(B, C, N);
}
