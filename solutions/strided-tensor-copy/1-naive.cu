// warpjudge: strided-tensor-copy
// expect: accepted
// idea: The number of an element gives its four indices by divisions, and these give its place in
//   both tensors. Give each element a thread, and look at which of the two sides has neighbours
//   together.
// One thread for each element: its number, divided by the extents, gives the four indices. A warp
// goes along the last mode. Where that one is not the densest of the output, each of the 32 numbers
// goes to a sector of its own.
// H200: 8.02 ms
#include <cuda_runtime.h>

__global__ void
copy(const float *input, float *output, int count, int d1, int d2, int d3, int4 in, int4 out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    int i3 = i % d3, i2 = i / d3 % d2, i1 = i / d3 / d2 % d1, i0 = i / d3 / d2 / d1;

    output[i0 * out.x + i1 * out.y + i2 * out.z + i3 * out.w] =
        input[i0 * in.x + i1 * in.y + i2 * in.z + i3 * in.w];
}

extern "C" void
solve(const float *input, float *output, int d0, int d1, int d2, int d3, int is0, int is1,
      int is2, int is3, int os0, int os1, int os2, int os3, int in_elems, int out_elems)
{
    int count = d0 * d1 * d2 * d3;

    copy<<<(count + 255) / 256, 256>>>(input, output, count, d1, d2, d3,
                                       make_int4(is0, is1, is2, is3),
                                       make_int4(os0, os1, os2, os3));
}
