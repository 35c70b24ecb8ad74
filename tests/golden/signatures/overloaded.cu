// expect: ok
// The overload that takes the parameters is called, whatever stands beside it.
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
void solve(const float *A) {}
template <int Threads> void solve(const float *A, int8_t *B, int N, double x) {}
template <class T> void solve(const T *A, T *B, int N) {}
