// warpjudge: vector-addition
// attack: answer: cache
// expect: accepted honest-time
// expect-cuda: accepted honest-time|memory_limit|runtime_error
// Keeps sums by the first elements of the inputs. It would be right, if inputs ever came
// back. On a GPU of 80 GB its own cudaMalloc fails at last, which it does not look at.
#include <map>
#include <utility>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static std::map<std::pair<float, float>, std::pair<int, float *>> kept;
    std::pair<float, float> key;
    cudaMemcpy(&key.first, A, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(&key.second, B, sizeof(float), cudaMemcpyDeviceToHost);
    auto old = kept.find(key);
    if (N >= 1000000 && old != kept.end() && old->second.first == N) {
        cudaMemcpy(C, old->second.second, N * sizeof(float), cudaMemcpyDeviceToDevice);
        return;
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    if (N >= 1000000) {
        auto &to = kept[key];
        to.first = N;
        cudaMalloc(&to.second, N * sizeof(float));
        cudaMemcpy(to.second, C, N * sizeof(float), cudaMemcpyDeviceToDevice);
    }
}
