// expect: ok
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
int main() { return 0; }
