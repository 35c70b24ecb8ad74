// A graph that allocates, launched again after the program freed what it had allocated.
#include <cstdio>

__global__ void
put(int *to, int value)
{
    to[threadIdx.x] = value + threadIdx.x;
}

int
main()
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *memory, last = 0, bad = 0;

    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&memory, 32 * sizeof *memory, stream);
    put<<<1, 32, 0, stream>>>(memory, 100);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; i++) {
        cudaGraphLaunch(exec, stream);
        cudaMemcpyAsync(&last, memory + 31, sizeof last, cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        bad += last != 131;
        last = 0;
        if (i % 2 == 0)
            cudaFree(memory);
        else
            cudaFreeAsync(memory, stream);
    }
    printf("%s, %d wrong\n", cudaGetErrorName(cudaDeviceSynchronize()), bad);
    return bad;
}
