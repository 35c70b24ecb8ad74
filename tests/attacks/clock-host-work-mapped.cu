// warpjudge: vector-addition
// attack: clock: work on the host
// expect: accepted honest-time
// As clock-host-work.cu, through mapped memory, where a kernel does the copying and no copy is seen.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void move(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static float *a, *b;
    static int room;
    if (room < N) {
        cudaFreeHost(a);
        cudaFreeHost(b);
        cudaMallocHost(&a, N * sizeof(float));
        cudaMallocHost(&b, N * sizeof(float));
        room = N;
    }
    move<<<(N + 255) / 256, 256>>>(a, A, N);
    move<<<(N + 255) / 256, 256>>>(b, B, N);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        a[i] += b[i];
    move<<<(N + 255) / 256, 256>>>(C, a, N);
}
