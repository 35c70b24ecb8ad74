// Asks for what the emulated GPU does not have, and prints what a program would see: driver functions, as
// programs with tensor maps do, and an event for other processes.
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
    cudaEvent_t shared;
    printf("%s\n", cudaGetErrorName(
                       cudaEventCreateWithFlags(&shared, cudaEventDisableTiming | cudaEventInterprocess)));
    return 0;
}
