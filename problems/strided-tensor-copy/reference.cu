/* One thread for each element, in the order of the modes. */
struct layout {
    long long stride[4];
};

__global__ static void
copy(const float *input, float *output, size_t count, int d1, int d2, int d3, layout in,
     layout out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    long long i3 = i % d3, i2 = i / d3 % d2, i1 = i / d3 / d2 % d1, i0 = i / d3 / d2 / d1;

    output[i0 * out.stride[0] + i1 * out.stride[1] + i2 * out.stride[2] + i3 * out.stride[3]] =
        input[i0 * in.stride[0] + i1 * in.stride[1] + i2 * in.stride[2] + i3 * in.stride[3]];
}

extern "C" void
solve(const float *input, float *output, int d0, int d1, int d2, int d3, int is0, int is1,
      int is2, int is3, int os0, int os1, int os2, int os3, int in_elems, int out_elems)
{
    size_t count = (size_t)d0 * d1 * d2 * d3;

    copy<<<(unsigned)((count + 255) / 256), 256>>>(input, output, count, d1, d2, d3,
                                                   {{is0, is1, is2, is3}},
                                                   {{os0, os1, os2, os3}});
}
