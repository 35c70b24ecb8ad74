// expect: left open at the file's end
// expect-not: warpjudge-wrapper
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
int x = (
