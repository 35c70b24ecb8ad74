// warpjudge: vector-addition
// attack: process: the driver's objects of other processes
// device: cuda
// expect: accepted honest-time
// NVIDIA's driver numbers its clients one after the other, and all of the judge's processes are of
// one user. So this program asks the driver questions as each of some thousand clients around one
// of its own, by a descriptor that has none of them. That any is answered ends it: who may name
// another's client may free what the judge has on the card, or map it. (Questions change nothing.)
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cuda_runtime.h>
#define AROUND 4096
#define CLIENT_CLASS 0x41    /* NV01_ROOT_CLIENT */
#define WHICH_CARDS 0x201    /* NV0000_CTRL_CMD_GPU_GET_ATTACHED_IDS */
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct control {
    uint32_t client, object, command, flags;
    uint64_t params;
    uint32_t bytes, status;
};
struct make {
    uint32_t root, parent, made, what;
    uint64_t params;
    uint32_t bytes, status;
};
static bool answers(int fd, uint32_t client)
{
    uint32_t cards[32];
    control c = {client, client, WHICH_CARDS, 0, (uint64_t)cards, sizeof cards, ~0u};
    return ioctl(fd, _IOWR('F', 0x2a, control), &c) == 0 && c.status == 0;
}
static void fail(const char *what, uint32_t client)
{
    fprintf(stderr, "%s: %x\n", what, client);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool asked;
    if (!asked) {
        const int own = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
        const int other = open("/dev/nvidiactl", O_RDWR | O_CLOEXEC);
        make m = {0, 0, 0, CLIENT_CLASS, 0, 0, ~0u};
        asked = true;
        if (ioctl(own, _IOWR('F', 0x2b, make), &m) != 0 || m.status != 0 || !answers(own, m.made))
            fail("the driver is not asked rightly", m.made);
        for (uint32_t client = m.made - AROUND; client != m.made + AROUND; client++)
            if (answers(other, client))
                fail("it worked: another's client answers", client);
        close(own);
        close(other);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
