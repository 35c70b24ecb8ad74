// warpjudge: vector-addition
// attack: answer: the seed
// expect: accepted honest-time
// Looks for a seed or an answer in its environment, command line and mappings. A find ends
// it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "found something in %s\n", what);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const files[] = {"/proc/self/environ", "/proc/self/cmdline", "/proc/self/maps",
                                        "/proc/1/environ", "/proc/1/cmdline", "/proc/1/maps"};
    static const char *const words[] = {"seed", "expected", "WARPJUDGE", "result.json", "jobs", ".db"};
    static char text[1 << 16];
    for (const char *name : files) {
        int fd = open(name, O_RDONLY);
        ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);
        for (const char *word : words)
            if (n > 0 && memmem(text, n, word, strlen(word)))
                found(name);
        close(fd);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
