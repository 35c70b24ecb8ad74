// warpjudge: prefix-sum
// honest: prefix-sum/5-two-launches
// attack: clock: work on the host
// expect: accepted honest-time
// Input and sums pass through a pinned mailbox of 2 KB, part by part, between a kernel and the host.
#include <cuda_runtime.h>
#define PART 256
struct mailbox {
    volatile int asked, answered;
    float in[PART / 2], out[PART / 2];
};
__global__ void post(mailbox *box, const float *input, float *output, int n, int first)
{
    int half = PART / 2;
    for (int part = 0; part * half < n; part++) {
        int i = part * half + threadIdx.x;
        box->in[threadIdx.x] = i < n ? input[i] : 0;
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) {
            box->asked = first + part + 1;
            while (box->answered != first + part + 1)
                ;
        }
        __syncthreads();
        if (i < n)
            output[i] = ((volatile float *)box->out)[threadIdx.x];
        __syncthreads();
    }
}
extern "C" void solve(const float *input, float *output, int N)
{
    static mailbox *box;
    int half = PART / 2, parts = (N + half - 1) / half, first;
    if (!box) {
        cudaMallocHost(&box, sizeof *box);
        box->asked = box->answered = 0;
    }
    first = box->answered;
    post<<<1, half>>>(box, input, output, N, first);
    float sum = 0;
    for (int part = 1; part <= parts; part++) {
        while (box->asked != first + part)
            ;
        for (int i = 0; i < half; i++)
            box->out[i] = sum += box->in[i];
        __sync_synchronize();
        box->answered = first + part;
    }
    cudaDeviceSynchronize();
}
