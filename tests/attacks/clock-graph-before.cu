// warpjudge: vector-addition
// attack: clock: work prepared early
// expect: accepted honest-time
// Captures a graph in the first call and only replaces its arguments afterwards.
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    if (!stream)
        cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<(N + 255) / 256, 256, 0, stream>>>(A, B, C, N);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}
