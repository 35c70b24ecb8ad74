/*
 * The functions that the emulated GPU does not have. A call returns
 * cudaErrorNotSupported and prints one line with the function's name. A program that
 * merely contains the call still links and runs.
 *
 * The header with the prototypes is left out on purpose: all these functions return an
 * error code, and none looks at its arguments.
 */
#include <stdio.h>

#define NOT_SUPPORTED 801 /* cudaErrorNotSupported */

int wjrt_error(int e);

#define U(name)                                                                          \
    int name(void);                                                                      \
    int name(void)                                                                       \
    {                                                                                    \
        static int said;                                                                 \
                                                                                         \
        if (!said)                                                                       \
            fprintf(stderr, "warpjudge: " #name " is not available on the emulated "     \
                            "GPU\n");                                                    \
        said = 1;                                                                        \
        return wjrt_error(NOT_SUPPORTED);                                                \
    }
#include "unavailable.def"
#include "unavailable_rest.def"
