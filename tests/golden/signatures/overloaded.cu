// expect: more than one function solve
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
void solve(const float *A) {}
