// warpjudge: count-2d-array-element
// A graph of a memset node and a kernel node that depends on it, made by hand.
__global__ void count(const int *input, int *output, int elements, int K)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < elements && input[i] == K);

    if (threadIdx.x == 0 && found > 0)
        atomicAdd(output, found);
}

extern "C" void
solve(const int *input, int *output, int N, int M, int K)
{
    int elements = N * M;
    void *arguments[] = {&input, &output, &elements, &K};
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t clear, work;
    cudaMemsetParams zero = {};
    cudaKernelNodeParams launch = {};

    zero.dst = output;
    zero.elementSize = 4;
    zero.width = 1;
    zero.height = 1;
    launch.func = (void *)count;
    launch.gridDim = dim3((elements + 255) / 256);
    launch.blockDim = dim3(256);
    launch.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero);
    cudaGraphAddKernelNode(&work, graph, &clear, 1, &launch);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
}
