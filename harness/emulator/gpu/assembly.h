/*
 * What ptxas made of a module's kernels, as the owner tells it: the file of
 * compile/assembly.h. It counts for modules of the fat binary that it names, and for no
 * others. Kernels of others keep the estimate of exec/decode/registers.c.
 */
#ifndef EMULATOR_GPU_ASSEMBLY_H
#define EMULATOR_GPU_ASSEMBLY_H

#include "../exec/exec.h"

#include <stddef.h>

#define ASSEMBLY_HASH 65 /* SHA-256 in hexadecimal, and the NUL */

struct assembly;

/* Reads the file of this descriptor, which the caller still owns. NULL: it is none, or
 * there is no host memory. */
struct assembly *assembly_read(int fd);
void assembly_free(struct assembly *a);

/* The hash of a fat binary's bytes. */
void assembly_hash(const void *image, size_t len, char out[ASSEMBLY_HASH]);

/* Tells the module's kernels what they take, if the hash of its fat binary is the
 * assembly's. a may be NULL. */
void assembly_apply(const struct assembly *a, const char *hash, struct module *mod);

#endif
