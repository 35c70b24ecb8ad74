// warpjudge: vector-addition
// attack: answer: inherited descriptors
// expect: accepted honest-time
// device: emu
// Any descriptor but the standard ones, the runner's socket and the emulated GPU's would be
// a way to the judge's files. (Not on a GPU, where the driver opens files and pipes of its own.)
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static bool looked;
    for (int fd = 3; fd < 1024 && !looked; fd++) {
        struct stat st;
        if (fstat(fd, &st) != 0)
            continue;
        if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_SET) == 0) {
            char text[256];
            if (read(fd, text, sizeof text) > 0)
                abort();
        }
        if (S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode))
            abort();
        if (S_ISSOCK(st.st_mode) && fd > 4)
            abort();
    }
    looked = true;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
