// expect: ok
// Mixed types and integers, for which <cmath> has templates of the host only.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
template <class T> constexpr T twice(T x) { return x + x; }
__global__ void arithmetic(const float *A, int8_t *B, int N, double x)
{
    int i = threadIdx.x;
    double y = fmax(0, x) + fmin(1, A[i]) + sqrt(N) + sqrt(2) + pow(2, i) + pow(x, 2);
    y += std::sqrt(N) + std::fmax(0, x) + std::pow(A[i], 2) + exp(1) + log(2) + log2(N);
    y += std::max(0, i) + std::min(1.0f, A[i]) + std::numeric_limits<float>::max();
    y += fabs(i) + floor(N) + ceil(N / 2) + round(i) + sin(1) + cos(i) + tanh(1) + fmod(N, 2);
    y += twice(i) + std::abs(-x) + abs(A[i]) + hypot(3, 4) + atan2(1, x) + cbrt(8) + exp2(3);
    y += max(0.0, x) + min(i, N) + isnan(x) + isinf(A[i]) + std::isnan(A[i]) + signbit(x);
    y += std::clamp(i, 0, N) + std::numeric_limits<int>::lowest() + fma(2, 3, x) + trunc(i);
    B[i] = (int8_t)y;
}
extern "C" void solve(const float *A, int8_t *B, int N, double x) { arithmetic<<<1, N>>>(A, B, N, x); }
