// expect: found:    void solve(const double *, int8_t *, int, double)
// expect: parameter 1, A
void solve(const double *A, int8_t *B, int N, double x) {}
