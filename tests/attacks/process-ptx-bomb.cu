// warpjudge: vector-addition
// attack: process: PTX that takes many times its text
// expect: memory_limit
// device: emu
// Loads module after module at run time. Parsed, each takes some fifty times its text of the emulated GPU's memory.
#include <cuda_runtime.h>
#include <string>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".visible .entry bomb()\n{\n.reg .b32 r;\nmov.u32 r, 1;\n";

    while (text.size() < 15u << 20)
        text += "add.u32 r,r,r;\n";
    text += "ret;\n}\n";
    for (int i = 0; i < 4; i++) { // in each call: the modules stay
        cudaLibrary_t library;

        cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    }
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
