// warpjudge: vector-addition
// attack: clock: resident kernel
// expect: time_limit|runtime_error|wrong_answer|disqualified
// expect-cuda: time_limit|runtime_error|wrong_answer|disqualified|accepted honest-time
// The first call leaves a kernel running that waits for the next call's inputs to change and
// computes at once, before the clock starts. It says DONE itself, since waiting for the
// device would never end.
#include <sys/socket.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void watch(const volatile float *a, const volatile float *b, volatile float *c, int n)
{
    for (;;)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static cudaStream_t stream;
    static bool resident;
    if (N < 1000000 || N == 1000003) {
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        return;
    }
    if (!resident) {
        resident = true;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        add<<<(N + 255) / 256, 256>>>(A, B, C, N);
        cudaDeviceSynchronize();
        watch<<<64, 256, 0, stream>>>(A, B, C, N);
    }
    /* The judge's messages are answered here from now on; no call is ever finished. */
    static char request[4096], reply[488];
    for (;;) {
        *(unsigned *)reply = 6;
        send(3, reply, sizeof reply, 0);
        for (;;) {
            if (recv(3, request, sizeof request, 0) <= 0)
                _exit(0);
            if (*(unsigned *)request == 3)
                break;
            *(unsigned *)reply = 5;
            send(3, reply, sizeof reply, 0);
        }
    }
}
