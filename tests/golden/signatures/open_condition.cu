// expect: open_condition.cu:3: error: unterminated #if
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
#if 0
