// expect: #include nested depth 200 exceeds maximum
#include __FILE__
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
