__device__ int table[4];
__constant__ int bias = 1000;
static __device__ int hidden = 7;

__device__ inline int
shared_by_both(int x)
{
    return x + 1;
}

static __device__ int
same_name(int x)
{
    return 2 * x;
}

__device__ int
twice(int x)
{
    return same_name(x) + hidden;
}

__device__ int
apply(int (*f)(int), int x)
{
    return shared_by_both(f(x));
}
