// expect: solve is a template
template <class T> void solve(const T *A, int8_t *B, int N, double x) {}
