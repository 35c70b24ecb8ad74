// What calls of the CUDA runtime cost a program on the emulated GPU, which is a process of
// its own: run by `warpjudge emu`. Medians, in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

__global__ void nothing() {}

static double microseconds()
{
    using namespace std::chrono;
    return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "runtime bench: %s\n", cudaGetErrorString(error));
    exit(1);
}

template <typename Call> static void measure(const char *name, Call call)
{
    std::vector<double> times;

    for (int i = 0; i < 300; i++) {
        double start = microseconds();

        call();
        times.push_back(microseconds() - start);
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    printf("  %-43s %8.1f us\n", name, times[times.size() / 2]);
}

int main()
{
    static char host[1 << 20];
    char *device;
    double start = microseconds();

    nothing<<<1, 32>>>();
    check(cudaDeviceSynchronize());
    printf("  %-43s %8.1f us\n", "a program's first launch, module and all",
           microseconds() - start);
    check(cudaMalloc(&device, sizeof host));
    measure("an empty launch", [] { nothing<<<1, 32>>>(); });
    check(cudaDeviceSynchronize());
    measure("an empty launch and cudaDeviceSynchronize", [] {
        nothing<<<1, 32>>>();
        check(cudaDeviceSynchronize());
    });
    for (size_t bytes : {size_t(4), size_t(4096), sizeof host}) {
        char name[64];

        snprintf(name, sizeof name, "cudaMemcpy of %zu bytes to the device", bytes);
        measure(name, [&] { check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice)); });
        snprintf(name, sizeof name, "cudaMemcpy of %zu bytes to the host", bytes);
        measure(name, [&] { check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost)); });
    }
    check(cudaFree(device));
    return 0;
}
