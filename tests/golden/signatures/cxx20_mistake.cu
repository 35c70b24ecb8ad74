// expect: cxx20_mistake.cu(6): error: identifier "undeclared" is undefined
// expect-not: concept
#include <concepts>
template <typename T> concept Number = std::integral<T> || std::floating_point<T>;
template <Number T> T twice(T x) requires(sizeof(T) == 4) { return x + x; }
extern "C" void solve(const float *A, int8_t *B, int N, double x) { undeclared = twice(N); }
