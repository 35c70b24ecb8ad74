/*
 * Fault injection, the seam through which tests make the machine fail: a GPU that falls
 * off the bus, a full disk, a clock that jumps. The trusted programs call inject() at the
 * places where such a failure would show. Its answer is false unless the environment
 * variable WARPJUDGE_INJECT names a folder that holds the failure's file. A submission
 * can neither set the environment of a trusted program nor see that folder. The daemon
 * logs at its start that the folder is set.
 *
 * The file holds "SKIP" or "SKIP always". SKIP is how many occasions of one process pass
 * by before the failure happens; an empty file means 0. Without `always` the file is
 * removed as the failure happens, so that only the first process that meets it fails.
 *
 * Of a point in time that a test holds (inject_hold()) the file is a FIFO.
 */
#ifndef BASE_INJECT_H
#define BASE_INJECT_H

#include <stdbool.h>

/*    kind, name of the file, what counts as an occasion */
#define INJECTIONS(X)                                                                    \
    X(GPU_LOST, "gpu-lost")             /* a use of a device, which stays lost */        \
    X(NO_DRIVER, "no-driver")           /* the opening of a device */                    \
    X(ARBITER_KILLED, "arbiter-killed") /* a progress line; before and after a result */ \
    X(SAMPLES_FULL, "samples-full")     /* a sample stored: the disk is full */          \
    X(RESULT_FULL, "result-full")       /* a result.json: the disk is full */            \
    X(RESULT_TORN, "result-torn")       /* a result.json: half of it is written */       \
    X(CLOCK_BACK, "clock-back")       /* a reading of the wall clock, which stays so */  \
    X(CLOCK_FORWARD, "clock-forward") /* the same */                                     \
    X(SLEEP, "sleep")                 /* a reading of how long the machine slept */      \
    X(SURVIVOR, "survivor")           /* a runner's end: a process seems to survive */   \
    X(READING_HELD, "reading-held")   /* held: before a thread reads a result */         \
    X(PARSING_HELD, "parsing-held")   /* held: before a thread parses for a page */      \
    X(PACKING_HELD, "packing-held")   /* held: before a thread packs a problem */        \
    X(STANDING_HELD, "standing-held") /* held: before a thread computes a standing */    \
    X(ARTEFACT_HELD, "artefact-held") /* held: before a thread writes an artefact */     \
    X(ARTEFACT_KEPT, "artefact-kept") /* held: after it has */

enum inject {
#define X(kind, file) INJECT_##kind,
    INJECTIONS(X)
#undef X
        INJECT_COUNT
};

/* Does this failure happen on this occasion? Only one thread of a process may ask. */
bool inject(enum inject what);

/* Raises SIGKILL in this process if the failure happens on this occasion. */
void inject_kill(enum inject what);

/* Waits until a test has opened the FIFO and written a byte or closed it, if there is
 * one. Meanwhile the test knows where this thread is. Any thread may call it. */
void inject_hold(enum inject what);

/* The folder that WARPJUDGE_INJECT names; NULL where nothing is made to fail. */
const char *inject_folder(void);

#endif
