// expect: ok
// With C linkage a namespace changes nothing at the symbol.
namespace mine {
#define P 3
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
}
