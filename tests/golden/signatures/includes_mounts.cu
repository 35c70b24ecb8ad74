// Would show the host's paths.
// expect: No such file
// expect-not: warpjudge
#include "/proc/self/mountinfo"
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
