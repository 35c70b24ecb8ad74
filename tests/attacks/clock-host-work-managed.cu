// warpjudge: prefix-sum
// honest: prefix-sum/5-two-launches
// attack: clock: work on the host
// expect: accepted honest-time
// The input is copied to managed memory, summed there by the host, and copied back; the result passes
// through a managed variable, too. Neither copy looks as if it went to the host.
#include <cuda_runtime.h>
#include <vector>
__managed__ float last[1024];
extern "C" void solve(const float *input, float *output, int N)
{
    static float *shared;
    static int room;
    if (room < N) {
        cudaFree(shared);
        cudaMallocManaged(&shared, N * sizeof(float));
        room = N;
    }
    cudaMemcpy(shared, input, N * sizeof(float), cudaMemcpyDefault);
    for (int i = 1; i < N; i++)
        shared[i] += shared[i - 1];
    int n = N < 1024 ? N : 1024;
    for (int i = 0; i < n; i++)
        last[i] = shared[N - n + i];
    cudaMemcpy(output, shared, N * sizeof(float), cudaMemcpyDefault);
    cudaMemcpy(output + N - n, last, n * sizeof(float), cudaMemcpyDefault);
}
