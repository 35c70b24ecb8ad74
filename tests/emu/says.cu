// What kernels print, and when: at the calls at which a GPU's buffer is flushed, assertions last.
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void
say(int i)
{
    printf("thread %d of %d\n", threadIdx.x, i);
}

__global__ void
check(int limit)
{
    int i = threadIdx.x;

    printf("checks %d\n", i);
    assert(i < limit); // says.cu:18
}

int
main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    say<<<1, 2>>>(2);
    puts("launched");
    if (argc > 1 && strcmp(argv[1], "reset") == 0) {
        cudaDeviceReset();
        puts("reset");
        return 0;
    }
    cudaDeviceSynchronize();
    check<<<1, 4>>>(2);
    puts("checked");
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
