// A reference that is left no device memory of its own: tests/e2e/test_emu.py links one whose solve
// has an input, an output of as many elements and their number first. What it keeps silent about
// would be the judge's right answer.
#include <cstdio>

#define ELEMENTS 4096
#define PIECES 4096
#define LEAST 256

extern "C" void solve(const unsigned *input, unsigned *output, int N, int k);

static void
take_all()
{
    static void *piece[PIECES];
    size_t size = (size_t)1 << 40;
    int count = 0;

    while (size >= LEAST && count < PIECES)
        if (cudaMalloc(&piece[count], size) == cudaSuccess)
            count++;
        else
            size /= 2;
    cudaGetLastError();
}

int
main()
{
    unsigned *input, *output;

    cudaMalloc(&input, ELEMENTS * sizeof *input);
    cudaMalloc(&output, ELEMENTS * sizeof *output);
    cudaMemset(input, 1, ELEMENTS * sizeof *input);
    take_all();
    solve(input, output, ELEMENTS, 1);
    puts(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess
             ? "it seems to have worked"
             : "it has left an error");
    return 0;
}
