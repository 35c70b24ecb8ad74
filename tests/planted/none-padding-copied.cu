// bug: none
// Structures are copied with their padding, which nobody wrote. They are copied whole, by
// memcpy, by words and bytes, through shared and local memory, and by functions.
#include "planted.h"

struct behind_char {
    char tag;
    double value;
};
struct behind_int {
    double value;
    int tag;
};
struct __align__(16) triple {
    int a, b, c;
};
struct mixed {
    short a;
    char b;
    float c;
    char d;
};

__device__ void
fill(behind_char &s, int t)
{
    s.tag = (char)t;
    s.value = t;
}
__device__ void
fill(behind_int &s, int t)
{
    s.value = t;
    s.tag = t;
}
__device__ void
fill(triple &s, int t)
{
    s.a = s.b = s.c = t;
}
__device__ void
fill(mixed &s, int t)
{
    s.a = (short)t;
    s.b = s.d = (char)t;
    s.c = (float)t;
}

template <class S>
__global__ void
make(S *p)
{
    fill(p[threadIdx.x], threadIdx.x);
}

template <class S>
__global__ void
whole(S *to, const S *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

template <class S>
__global__ void
by_memcpy(S *to, const S *from)
{
    memcpy(&to[threadIdx.x], &from[threadIdx.x], sizeof(S));
}

template <class S, class Unit>
__global__ void
by_units(S *to, const S *from)
{
    for (size_t i = threadIdx.x; i < 64 * sizeof(S) / sizeof(Unit); i += blockDim.x)
        ((Unit *)to)[i] = ((const Unit *)from)[i];
}

template <class S>
__global__ void
through_shared(S *to, const S *from)
{
    __shared__ S s[64];
    int t = threadIdx.x;

    s[t] = from[t];
    __syncthreads();
    to[t] = s[63 - t];
}

template <class S>
__global__ void
made_in_shared(S *to)
{
    __shared__ S s[64];
    int t = threadIdx.x;

    fill(s[t], t);
    __syncthreads();
    to[t] = s[63 - t];
}

template <class S>
__global__ void
through_local(S *to, int k)
{
    S s[4];

    for (int i = 0; i < 4; i++)
        fill(s[i], threadIdx.x + i);
    to[threadIdx.x] = s[k & 3];
}

template <class S>
__global__ void
swap_pairs(S *p)
{
    int t = threadIdx.x;

    if (t < 32) {
        S a = p[2 * t], b = p[2 * t + 1];

        p[2 * t] = t & 1 ? b : a;
        p[2 * t + 1] = t & 1 ? a : b;
    }
}

template <class S>
__device__ __noinline__ S
same(S s)
{
    return s;
}

template <class S>
__global__ void
by_function(S *to, const S *from)
{
    to[threadIdx.x] = same(from[threadIdx.x]);
}

template <class S>
void
all()
{
    S *from = fresh<S>(64);

    make<<<1, 64>>>(from);
    whole<<<1, 64>>>(fresh<S>(64), from);
    by_memcpy<<<1, 64>>>(fresh<S>(64), from);
    by_units<S, int><<<1, 64>>>(fresh<S>(64), from);
    by_units<S, char><<<1, 64>>>(fresh<S>(64), from);
    through_shared<<<1, 64>>>(fresh<S>(64), from);
    made_in_shared<<<1, 64>>>(fresh<S>(64));
    through_local<<<1, 64>>>(fresh<S>(64), 1);
    by_function<<<1, 64>>>(fresh<S>(64), from);
    swap_pairs<<<1, 64>>>(from);
}

int
main()
{
    all<behind_char>();
    all<behind_int>();
    all<triple>();
    all<mixed>();
    return finish();
}
