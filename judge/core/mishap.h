/*
 * The seam through which tests make the machine fail: a card that falls off the bus, a
 * full disk, a clock that jumps. The trusted programs ask at the places where such a
 * thing would show, and are told no unless the environment variable WARPJUDGE_MISHAPS
 * names a folder with a file of the mishap's name. A submission can neither set the
 * environment of a trusted program nor see that folder. The daemon says at its start that
 * the folder is set.
 *
 * The file holds "SKIP" or "SKIP always", SKIP being how many occasions of one process
 * pass by before it happens (an empty file: 0). Unless it says `always` the file is
 * removed as it happens: once, whichever process meets it.
 */
#ifndef CORE_MISHAP_H
#define CORE_MISHAP_H

#include <stdbool.h>

/*    kind, file, an occasion is each ... */
#define MISHAPS(X)                                                                       \
    X(GPU_LOST, "gpu-lost")             /* use of a device; it stays lost */             \
    X(NO_DRIVER, "no-driver")           /* opening of a device */                        \
    X(ARBITER_KILLED, "arbiter-killed") /* step told; around the result */               \
    X(SAMPLES_FULL, "samples-full")     /* sample stored: the disk is full */            \
    X(RESULT_FULL, "result-full")       /* result.json: the disk is full */              \
    X(RESULT_TORN, "result-torn")       /* result.json: half of it arrives */            \
    X(CLOCK_BACK, "clock-back")         /* look at the wall clock; it stays so */        \
    X(CLOCK_FORWARD, "clock-forward")   /* the same */                                   \
    X(SLEEP, "sleep")                   /* question how long the machine has slept */    \
    X(SURVIVOR, "survivor")             /* end of a submission's runner: it is not one */

enum mishap {
#define X(kind, file) MISHAP_##kind,
    MISHAPS(X)
#undef X
        MISHAP_COUNT
};

/* Does it happen on this occasion? Not for use by several threads. */
bool mishap(enum mishap what);

/* Ends this process as SIGKILL does, if it happens. */
void mishap_kill(enum mishap what);

/* The folder, or NULL: nothing is made to fail. */
const char *mishap_folder(void);

#endif
