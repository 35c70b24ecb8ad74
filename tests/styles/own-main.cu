// warpjudge: vector-addition
// With the main that it was tried with, random numbers, clocks and all.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <vector>

__global__ void add(const float *A, const float *B, float *C, int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < N)
        C[i] = A[i] + B[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    int N = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
    std::vector<float> a(N), b(N), c(N);
    std::mt19937 random(42);
    std::uniform_real_distribution<float> draw(-1, 1);
    float *A, *B, *C;

    for (int i = 0; i < N; i++) {
        a[i] = draw(random);
        b[i] = draw(random);
    }
    cudaMalloc(&A, N * sizeof(float));
    cudaMalloc(&B, N * sizeof(float));
    cudaMalloc(&C, N * sizeof(float));
    cudaMemcpy(A, a.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), N * sizeof(float), cudaMemcpyHostToDevice);
    auto begin = std::chrono::high_resolution_clock::now();
    solve(A, B, C, N);
    auto end = std::chrono::high_resolution_clock::now();
    cudaMemcpy(c.data(), C, N * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << std::chrono::duration<double, std::milli>(end - begin).count() << " ms\n";
    return std::fabs(c[0] - a[0] - b[0]) < 1e-6 ? 0 : 1;
}
