/*
 * Finds the PTX in what nvcc embeds in a host object: a fat binary container. Its
 * entries are PTX text or machine code, each for one architecture, plain or compressed.
 */
#ifndef EMULATOR_GPU_CONTAINER_H
#define EMULATOR_GPU_CONTAINER_H

#include "../emulator.h"

#include <stddef.h>

/* Finds the best PTX for compute capability arch (80 for 8.0): the newest that is not
 * above it, otherwise the oldest above it. Several containers in a row give one text of
 * several units. Bytes without a container's magic are taken as PTX.
 *
 * Returns the text, which the caller frees; it has *len bytes and then a NUL. Or
 * returns NULL, with a GPU_... code in *status and a sentence in f->text (kind
 * FAULT_PTX_SYNTAX). */
char *container_ptx(const void *bytes, size_t size, unsigned arch, size_t *len,
                    int *status, struct fault *f);

#endif
