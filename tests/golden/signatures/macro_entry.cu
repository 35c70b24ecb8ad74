// expect: names that begin with warpjudge are the judge's own
// expect-not: emu
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
#define warpjudge_entry other
