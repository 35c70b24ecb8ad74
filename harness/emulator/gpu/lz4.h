/* The LZ4 block format. nvcc packs PTX with it before version 12.4, and later with
 * --compress-mode=speed. */
#ifndef EMULATOR_GPU_LZ4_H
#define EMULATOR_GPU_LZ4_H

#include <stddef.h>

/* Returns how many bytes were written to `to`. Returns -1 if the block is damaged or
 * holds more than `room` bytes. */
long lz4_decompress(const unsigned char *from, size_t size, unsigned char *to,
                    size_t room);

#endif
