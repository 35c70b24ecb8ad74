// warpjudge: vector-addition
// attack: compiler: bombs
// expect: compile_error|runtime_error|memory_limit
// device: emu
// Sixteen gigabytes of nothing: small on the disk, too large to start.
__attribute__((used)) static char huge[1ul << 34];
extern "C" char *huge_address = huge;
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
