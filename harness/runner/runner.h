/* What runner.c and memory.c share. Names carry the project's prefix: they meet whatever
 * names a submission defines. */
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "runner/protocol.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Makes a context on each GPU that this process sees, in a program with the CUDA runtime,
 * and leaves the first as the current one. What goes wrong shows when memory is mapped.
 */
void warpjudge_gpus_wake(void);

/* As many as woke; 1 where that was not asked for. */
int warpjudge_gpus(void);

/* Maps the memory of an ATTACH request into the next slot; takes fd's ownership (-1:
 * none). 0, -errno or a CUDA error code, then with words in text. */
int32_t warpjudge_memory_attach(const struct runner_request *request, int fd, char *text,
                                size_t text_size);

/* Unmaps every slot. 0, or the first error. */
int32_t warpjudge_memory_detach(void);

/* Where slot begins in this process (or on its device); -1: there is no such slot. */
int warpjudge_memory_address(int32_t slot, uint64_t *address);

#pragma GCC visibility pop

#endif
