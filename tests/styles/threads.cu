// warpjudge: vector-addition
// Host threads that each launch a part, and a mutex.
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

static std::mutex lock;
static std::atomic<int> launches{0};

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    std::vector<std::thread> workers;
    std::function<void(int, int)> part = [=](int from, int count) {
        std::lock_guard<std::mutex> held(lock);

        if (count > 0)
            add<<<(count + 255) / 256, 256>>>(A + from, B + from, C + from, count);
        cudaDeviceSynchronize();
        ++launches;
    };

    for (int k = 0; k < 2; k++)
        workers.emplace_back(part, k * (N / 2), k == 0 ? N / 2 : N - N / 2);
    for (auto &worker : workers)
        worker.join();
}
