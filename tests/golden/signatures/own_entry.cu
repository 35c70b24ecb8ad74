// expect: names that begin with warpjudge are the judge's own
// expect-not: wrapper
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
extern "C" void warpjudge_entry(void *const *arguments) {}
