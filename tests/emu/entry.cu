// Asks for driver functions, as programs with tensor maps do, and prints what they would see.
#include <cstdio>

int
main()
{
    for (int i = 0; i < 2; i++) {
        void *f = &f;
        cudaDriverEntryPointQueryResult result;
        cudaError_t e =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &result);

        printf("%s %d %d\n", cudaGetErrorName(e), f == nullptr, result == cudaDriverEntryPointSymbolNotFound);
    }
    return 0;
}
