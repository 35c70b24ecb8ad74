/* The buffers of a call as this process sees them, in numbered slots. */
#ifndef RUNNER_MEMORY_H
#define RUNNER_MEMORY_H

#include "runner/protocol.h"

#include <stddef.h>

/* Maps the memory of an ATTACH request into the next slot; takes fd's ownership (-1:
 * none). The first GPU is the current one afterwards. 0, -errno or an error of the
 * driver's, then with words in text. */
int32_t memory_attach(const struct runner_request *request, int fd, char *text,
                      size_t text_size);

/* Unmaps every slot from number kept on. 0, or the first error. */
int32_t memory_detach(uint64_t kept);

/* Where slot begins in this process (or on its device); -1: there is no such slot. */
int memory_address(int32_t slot, uint64_t *address);

#endif
