// expect: found:    int solve(const float *, int8_t *, int, double)
// expect: must return void
extern "C" int solve(const float *A, int8_t *B, int N, double x) { return 0; }
