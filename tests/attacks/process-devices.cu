// warpjudge: vector-addition
// attack: process: device nodes
// expect: accepted honest-time
// Looks at /dev and /sys for more than a program needs. A find ends it.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    abort();
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const allowed[] = {".",      "..",     "null",  "zero",   "full",   "random", "urandom",
                                          "shm",    "fd",     "stdin", "stdout", "stderr"};
    int cards = 0; // of several cards only the one that it was given
    DIR *dev = opendir("/dev");
    while (struct dirent *e = dev ? readdir(dev) : nullptr) {
        bool known = strcmp(e->d_name, "nvidiactl") == 0 || strcmp(e->d_name, "nvidia-uvm") == 0;
        if (strncmp(e->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)e->d_name[6]))
            known = ++cards == 1;
        for (const char *name : allowed)
            known = known || strcmp(e->d_name, name) == 0;
        if (!known)
            found(e->d_name);
    }
    if (dev)
        closedir(dev);
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
