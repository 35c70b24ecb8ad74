// warpjudge: max-subarray-sum
// expect: accepted
// For tests/gpu/following, which needs a short program on little data. One block adds up all numbers in order. Then
// each window is the difference of two sums.
#include <climits>
#define THREADS 1024
#define MOST 50000
__device__ int before[MOST + 1]; // the sum of all before a number
__global__ void windows(const int *input, int *output, int N, int window_size)
{
    __shared__ int part[THREADS];
    const int t = threadIdx.x, each = (N + THREADS - 1) / THREADS;
    const int begin = min(t * each, N), end = min(begin + each, N);
    int sum = 0, best = INT_MIN;
    for (int i = begin; i < end; i++)
        sum += input[i];
    part[t] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        const int other = t >= step ? part[t - step] : 0;
        __syncthreads();
        part[t] += other;
        __syncthreads();
    }
    sum = part[t] - sum;
    for (int i = begin; i < end; i++) {
        before[i] = sum;
        sum += input[i];
    }
    if (end == N)
        before[N] = part[THREADS - 1];
    __syncthreads();
    for (int i = t; i + window_size <= N; i += THREADS)
        best = max(best, before[i + window_size] - before[i]);
    part[t] = best;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = max(part[t], part[t + half]);
        __syncthreads();
    }
    if (t == 0)
        *output = part[0];
}
extern "C" void solve(const int *input, int *output, int N, int window_size)
{
    windows<<<1, THREADS>>>(input, output, N, window_size);
}
