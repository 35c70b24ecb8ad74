// expect: file not found
// expect-not: /dev/urandom
asm(".incbin \"/dev/urandom\"");
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
