// expect: used but not defined, or not available on emu: 'elsewhere(int)'
void elsewhere(int);
extern "C" void solve(const float *A, int8_t *B, int N, double x) { elsewhere(N); }
