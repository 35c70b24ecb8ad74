// expect: errors_have_lines.cu(4): error: identifier "undeclared" is undefined
// expect-not: warpjudge
extern "C" void solve(const float *A, int8_t *B, int N, double x) {
    undeclared = 1;
}
