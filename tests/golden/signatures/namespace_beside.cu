// expect: ok
namespace mine {
void solve(float *x) {}
struct solver { void solve(const float *A, int8_t *B, int N, double x) {} };
}
extern "C" void solve(const float *A, int8_t *B, int N, double x) { mine::solver().solve(A, B, N, x); }
