/*
 * A level times the scale of its block, rounded once. A thread makes OWN wanted elements and
 * writes them at once, those at the end one by one. Threads read other levels than their
 * neighbours, which shared memory has for all of them in one go.
 */
#define OWN 4
#define THREADS 256

__device__ static const float level[16] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

__device__ static float
decode_one(const unsigned char *packed, const float *absmax, const float *levels,
           unsigned e)
{
    int code = packed[e / 2] >> (e % 2 ? 0 : 4) & 15;

    return __fmul_rn(levels[code], absmax[e / 64]);
}

__global__ static void
decode(const unsigned char *__restrict__ packed, const float *__restrict__ absmax,
       float *__restrict__ output, int first, int count)
{
    __shared__ float levels[16];
    const int i = OWN * (int)(blockIdx.x * THREADS + threadIdx.x);

    if (threadIdx.x < 16)
        levels[threadIdx.x] = level[threadIdx.x];
    __syncthreads();
    if (count - i >= OWN) {
        float v[OWN];

#pragma unroll
        for (int k = 0; k < OWN; k++)
            v[k] = decode_one(packed, absmax, levels, (unsigned)(first + i + k));
        ((float4 *)output)[i / OWN] = make_float4(v[0], v[1], v[2], v[3]);
        return;
    }
    for (int k = i; k < count; k++)
        output[k] = decode_one(packed, absmax, levels, (unsigned)(first + k));
}

extern "C" void
solve(const unsigned char *packed, const float *absmax, float *output, int N, int first, int count)
{
    const int each = THREADS * OWN;

    decode<<<(count + each - 1) / each, THREADS>>>(packed, absmax, output, first, count);
}
