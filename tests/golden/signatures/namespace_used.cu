// expect: ok
namespace mine {
void solve(const float *A, int8_t *B, int N, double x) {}
}
using namespace mine;
