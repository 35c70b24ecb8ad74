/*
 * The PTX inside what nvcc embeds in a host object: a fat binary container, whose entries
 * are PTX text or machine code, each for one architecture, plain or compressed.
 */
#ifndef EMULATOR_GPU_CONTAINER_H
#define EMULATOR_GPU_CONTAINER_H

#include "../emulator.h"

#include <stddef.h>

/* The best PTX for compute capability arch (80 for 8.0): the newest not above it, else
 * the oldest above it. Several containers one after the other give one text of several
 * units. Bytes without a container's magic are taken as PTX text. Returns
 * text that the caller frees, NUL-terminated, *len bytes before the NUL; or NULL, *status
 * a GPU_... code and a sentence in f->text (kind FAULT_PTX_SYNTAX). */
char *container_ptx(const void *bytes, size_t size, unsigned arch, size_t *len,
                    int *status, struct fault *f);

#endif
