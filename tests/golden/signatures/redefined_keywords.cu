// expect: does a macro or a #pragma change keywords
// expect-not: warpjudge-wrapper
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
#define struct union
#define template
