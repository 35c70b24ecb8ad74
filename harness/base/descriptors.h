/* The descriptors that a runner is started with, by their numbers. The programs that it
 * loads find them too: the emulated GPU's runtime is one of those. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#define RUNNER_FD 3     /* the socket to the arbiter */
#define RUNNER_GPU_FD 4 /* the socket to the emulated GPU, on the device emu */

#endif
