// expect: solve is declared, but not defined
void solve(const float *A, int8_t *B, int N, double x);
