/* The work of kernels.cu in plain C, compiled with gcc -O2 and nothing else: what the
 * emulator's speed is compared with. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stddef.h>

void plain_add(const float *a, const float *b, float *c, size_t n);
void plain_matmul(const float *a, const float *b, float *c, size_t n);
void plain_matmul_tiled(const float *a, const float *b, float *c, size_t n);
/* The sum of every 256 elements, in their order; n is a multiple of 256. */
void plain_block_sums(const float *in, float *sums, size_t n);

#endif
