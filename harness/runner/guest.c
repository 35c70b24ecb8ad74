/*
 * Our part of what a runner loads (guest.h): as little as can be, since a submission's
 * own names may meet these.
 *
 * The CUDA runtime's functions are weak: a reference in C is linked without any, and the
 * linker is told to pull them in wherever a runtime is there (compile/tools.c).
 */
#include "runner/guest.h"

#include <stddef.h>

extern int cudaDeviceSynchronize(void) __attribute__((weak));
extern int cudaGetLastError(void) __attribute__((weak));
extern const char *cudaGetErrorName(int error) __attribute__((weak));
extern const char *cudaGetErrorString(int error) __attribute__((weak));
/* The emulated GPU's runtime has more to say. */
extern const char *warpjudge_explain_error(int error) __attribute__((weak));
extern int cudaGetDevice(int *device) __attribute__((weak));
extern int cudaSetDevice(int device) __attribute__((weak));

extern const struct runner_guest warpjudge_guest;
const struct runner_guest warpjudge_guest = {
    .entry = warpjudge_entry,
    .synchronize = cudaDeviceSynchronize,
    .last_error = cudaGetLastError,
    .error_name = cudaGetErrorName,
    .error_string = cudaGetErrorString,
    .explain_error = warpjudge_explain_error,
    .get_device = cudaGetDevice,
    .set_device = cudaSetDevice,
};

/* A file with a main() is a program, which somebody has meant to be run as one: the
 * linker says that there are two. */
int
main(void)
{
    return 0;
}
