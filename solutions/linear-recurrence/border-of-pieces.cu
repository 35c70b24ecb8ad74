// warpjudge: linear-recurrence
// expect: wrong_answer
// Pieces of 1024 elements: the one behind a border continues from the last but one.
__global__ void run(const float *a, const float *x, float *h, int L)
{
    const float *ar = a + (size_t)blockIdx.x * L, *xr = x + (size_t)blockIdx.x * L;
    float *hr = h + (size_t)blockIdx.x * L, last = 0;

    for (int t = 0; t < L; t++) {
        float now = (t ? ar[t] * last : 0) + xr[t];

        hr[t] = now;
        if (t % 1024 != 1023) /* the pieces' border */
            last = now;
    }
}

extern "C" void
solve(const float *a, const float *x, float *h, int B, int L)
{
    run<<<B, 1>>>(a, x, h, L);
}
