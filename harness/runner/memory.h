/* The buffers of a call as this process sees them, in numbered slots. */
#ifndef RUNNER_MEMORY_H
#define RUNNER_MEMORY_H

#include "runner/protocol.h"

#include <stddef.h>

/* Maps the memory of an ATTACH request into the next slot, and takes fd's ownership
 * (-1: none). Afterwards the first GPU is the current one. Returns 0, -errno, or an
 * error of the driver with words in text. */
int32_t memory_attach(const struct runner_request *request, int fd, char *text,
                      size_t text_size);

/* Unmaps all slots from number `kept` on. Returns 0 or the first error. */
int32_t memory_detach(uint64_t kept);

/* Finds the address of a slot in this process or on its device. Returns -1 if there is
 * no such slot. */
int memory_address(int32_t slot, uint64_t *address);

#endif
