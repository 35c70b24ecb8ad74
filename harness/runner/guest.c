/*
 * Our part of each shared object that a runner loads (guest.h). It is as small as can
 * be, because a submission may define the same names.
 *
 * The CUDA runtime's functions are weak, because a reference in C is linked without
 * any. Where there is a runtime, the linker is told to pull them in (compile/tools.c).
 */
#include "runner/guest.h"

#include <stddef.h>

extern int cudaDeviceSynchronize(void) __attribute__((weak));
extern int cudaGetLastError(void) __attribute__((weak));
extern const char *cudaGetErrorName(int error) __attribute__((weak));
extern const char *cudaGetErrorString(int error) __attribute__((weak));
/* Only the emulated GPU's runtime has this function. */
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
