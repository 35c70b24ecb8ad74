// expect: several functions of that name, and not exactly one of them takes
void solve(const float *A, int8_t *B, int N) {}
void solve(const float *A) {}
