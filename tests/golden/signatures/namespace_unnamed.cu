// expect: ok
namespace {
void solve(const float *A, int8_t *B, int N, double x) {}
}
