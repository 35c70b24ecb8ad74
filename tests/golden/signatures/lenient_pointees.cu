// expect: ok
// Missing const, restrict, volatile, char for int8_t, unsigned count, linkage from a block.
#include <cuda_runtime.h>
extern "C" {
void solve(float *__restrict__ A, volatile char *B, unsigned N, double x);
}
void solve(float *__restrict__ A, volatile char *B, unsigned N, double x) {}
