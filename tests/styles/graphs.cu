// warpjudge: vector-addition
// A graph that is captured, instantiated and launched.
__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<(N + 255) / 256, 256, 0, stream>>>(A, B, C, N);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}
