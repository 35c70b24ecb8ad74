// warpjudge: vector-addition
// attack: process: holding the device
// expect: time_limit
// Runs for four milliseconds of ten, which is when the judge's looks cost the least, and
// sleeps in the others.
#include <chrono>
#include <thread>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    using namespace std::chrono;
    for (auto next = steady_clock::now();;) {
        const auto end = next + milliseconds(4);
        while (steady_clock::now() < end)
            ;
        next += milliseconds(10);
        std::this_thread::sleep_until(next);
    }
}
