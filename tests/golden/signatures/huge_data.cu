// expect: wrote more than the limit of 256 MiB
asm(".data\n.fill 600000000, 1, 7\n.text");
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
