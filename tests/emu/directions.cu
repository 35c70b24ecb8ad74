// Which directions cudaMemcpy takes between which pointers. On a GPU it prints what
// test_emu.py expects: recorded on an H200, driver 580.
#include <cstdio>
#include <cuda_runtime.h>

int
main()
{
    const char *kind[] = {"h2h", "h2d", "d2h", "d2d", "default"};
    static float host[2][256];
    float *device[2];

    cudaMalloc(&device[0], sizeof host[0]);
    cudaMalloc(&device[1], sizeof host[1]);
    cudaMemset(device[0], 0, sizeof host[0]);
    for (int k = 0; k < 5; k++) {
        printf("%s:", kind[k]);
        for (int pair = k == 0 ? 3 : 0; pair < 4; pair++) { // h2h of a device's was not tried
            const float *from = pair & 1 ? host[0] : device[0];
            float *to = pair & 2 ? host[1] : device[1];

            printf(" %d", cudaMemcpy(to, from, sizeof host[0], (cudaMemcpyKind)k));
        }
        printf("\n");
    }
    return 0;
}
