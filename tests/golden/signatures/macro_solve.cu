// expect: solve is a macro
#define solve my_solve
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
