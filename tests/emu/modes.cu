// One program, many ways to behave: modes MODE [ARGUMENT]. tests/e2e/test_emu.py
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

__device__ int factor = 3;
__constant__ int offset = 4;

__global__ void
scale(int *out, const int *in, int n, int reach)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n + reach)
        out[i] = in[i] * factor + offset; // modes.cu:20
}

template <typename T>
__global__ void
fill(T *out, T value)
{
    out[threadIdx.x] = value;
}

__global__ void
spin(volatile int *stop)
{
    while (*stop == 0)
        ;
}

__global__ void
mirror(int *out)
{
    __shared__ int tile[64];

    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[63 - threadIdx.x]; // no barrier: the other warp's half
}

/* Launched before main: the registration of kernels has to come first. */
struct Early {
    int value = 0;

    Early()
    {
        int *device;

        if (getenv("NOTHING_EARLY") != nullptr)
            return;
        cudaMalloc(&device, 32 * sizeof(int));
        fill<<<1, 32>>>(device, 77);
        cudaMemcpy(&value, device + 31, sizeof value, cudaMemcpyDeviceToHost);
        cudaFree(device);
    }
};

enum { N = 1000 };

/* The sum of what the kernel made of 0, 1, ... */
static int
work(int reach, bool initialize)
{
    int host[N], *in, *out;
    long sum = 0;
    cudaError_t e;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    if (initialize)
        cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<(N + 255) / 256, 256>>>(out, in, N, reach);
    e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        sum += host[i];
    printf("%s %ld\n", cudaGetErrorName(e), e == cudaSuccess ? sum : 0L);
    fflush(stdout);
    cudaFree(in);
    cudaFree(out);
    return e;
}

/* Uses CUDA in children: forked before the parent has, and after. */
static int
family()
{
    int status[2];
    pid_t child = fork();

    if (child == 0)
        _exit(work(0, true) == cudaSuccess ? 10 : 1);
    waitpid(child, &status[0], 0);
    work(0, true);
    child = fork();
    if (child == 0)
        _exit(cudaFree(0) == cudaErrorInitializationError ? 11 : 1);
    waitpid(child, &status[1], 0);
    printf("children: %d %d\n", WEXITSTATUS(status[0]), WEXITSTATUS(status[1]));
    return work(0, true);
}

static int
plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    auto run = library != NULL ? (int (*)(int))dlsym(library, "plugin_square") : NULL;

    if (run == NULL) {
        puts(dlerror());
        return 1;
    }
    printf("plugin: %d\n", run(12));
    dlclose(library);
    return work(0, true);
}

int
main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "work";
    int *stop;

    if (strcmp(mode, "over") == 0)
        return work(1, true) == cudaErrorIllegalAddress ? 0 : 1;
    if (strcmp(mode, "unwritten") == 0)
        return work(0, false);
    if (strcmp(mode, "notices") == 0) {
        cudaMalloc(&stop, 64 * sizeof *stop);
        for (int i = 0; i < 3; i++)
            mirror<<<1, 64>>>(stop);
        return work(0, false);
    }
    if (strcmp(mode, "exit") == 0)
        return atoi(argv[2]);
    if (strcmp(mode, "family") == 0)
        return family();
    if (strcmp(mode, "plugin") == 0)
        return plugin(argv[2]);
    if (strcmp(mode, "abort") == 0) {
        work(0, true);
        abort();
    }
    if (strcmp(mode, "spin") == 0 || strcmp(mode, "leave") == 0) {
        cudaMalloc(&stop, sizeof *stop);
        cudaMemset(stop, 0, sizeof *stop);
        spin<<<1, 1>>>(stop);
        puts("launched");
        fflush(stdout);
        return strcmp(mode, "spin") == 0 ? cudaDeviceSynchronize() : 5;
    }
    if (strcmp(mode, "early") == 0) {
        static Early early;

        printf("early: %d\n", early.value);
    }
    return work(0, true);
}

static Early before_main;
