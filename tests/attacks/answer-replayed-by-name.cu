// warpjudge: reduction
// attack: answer: replay
// expect: wrong_answer
// says: a timed call (N=
// conceals: expected|sum
// One source under many names. The name holds the answers that it has been told so far, and the first
// timed call without one is left wrong, so that the message tells the next. It computes nothing in timed
// calls. That worked while the inputs of timed calls followed from the source's bytes.
#include <cstdio>
#include <cstring>
__global__ void sum(const float *input, float *output, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(output, input[i]);
}
__global__ void say(float *output, float answer)
{
    *output = answer;
}
extern "C" void solve(const float *input, float *output, int N)
{
    static int calls;
    const char *told = strchr(__FILE__, '=');
    float answer = 0;
    if (N != 1000000 && N != 4194304) { // a test
        cudaMemset(output, 0, sizeof(float));
        sum<<<64, 256>>>(input, output, N);
        return;
    }
    for (int i = 0; told != nullptr && i < calls; i++)
        told = strchr(told + 1, '=');
    calls++;
    if (told != nullptr)
        sscanf(told, "=%f", &answer);
    say<<<1, 1>>>(output, answer);
}
