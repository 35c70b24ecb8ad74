// expect: ok
// A word that C++20 has taken.
static int concept = 1, requires = 2;
extern "C" void solve(const float *A, int8_t *B, int N, double x) { concept += requires; }
