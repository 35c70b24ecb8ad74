// expect: open_namespace.cu(4): note #3196-D: to match this "{"
// expect: expected a "}"
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
namespace {
