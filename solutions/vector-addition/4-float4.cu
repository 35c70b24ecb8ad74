// warpjudge: vector-addition
// expect: accepted
// idea: A thread that moves four bytes keeps few bytes on their way. Let each thread load and store
//   16 bytes at a time, and take the few elements that are left one by one.
// Against step 3: four elements for each thread as one 16-byte load and store, so that a fourth of
// the threads keeps more bytes on their way. The last N % 4 go one by one. What is left is the
// memory's own speed. Hints that nothing is read again, __ldcs and __stcs, cost 3% on an H100 and 6% on
// an H200: with them L2 writes C to memory at once, and without them a part of C may stay there. Two or
// four such loads for each thread gain nothing.
// H200: 73.8 µs, 1.29 times as fast as step 3
#include <cuda_runtime.h>

__global__ void
add4(const float4 *__restrict__ A, const float4 *__restrict__ B, float4 *__restrict__ C,
     int quads, const float *a_tail, const float *b_tail, float *c_tail, int tail)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quads) {
        float4 a = A[i], b = B[i];

        C[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    if (i < tail)
        c_tail[i] = a_tail[i] + b_tail[i];
}

extern "C" void
solve(const float *A, const float *B, float *C, int N)
{
    int quads = N / 4, tail = N % 4, done = 4 * quads;
    int threads = quads > tail ? quads : tail;

    add4<<<(threads + 255) / 256, 256>>>((const float4 *)A, (const float4 *)B, (float4 *)C,
                                         quads, A + done, B + done, C + done, tail);
}
