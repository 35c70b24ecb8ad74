/* The LZ4 block format, in which nvcc --compress-mode=speed (and nvcc before 12.4) packs
 * PTX. */
#ifndef EMULATOR_GPU_LZ4_H
#define EMULATOR_GPU_LZ4_H

#include <stddef.h>

/* Returns how many bytes were written to `to`, at most room, or -1: the block is damaged
 * or holds more. */
long lz4_decompress(const unsigned char *from, size_t size, unsigned char *to,
                    size_t room);

#endif
