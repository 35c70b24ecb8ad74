/*
 * The padding of structures. A kernel that copies structures may copy their padding, too,
 * and nobody ever wrote that: this is no mistake. To compute with it is one.
 */
#ifndef EMULATOR_PADDING_H
#define EMULATOR_PADDING_H

#include "../emulator.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Do the bytes [at, at + bytes), of which none was written, look like padding? `shadow`
 * says of all `size` bytes of the buffer whether they were written. They do if all
 * of this holds:
 *
 *   - Fewer than 16 bytes in a row were not written, and one before them was.
 *   - They end at a multiple of the next power of two. Padding is shorter than the
 *     alignment of what follows.
 *   - The same gap is in the structure before or behind. More of a structure was written
 *     than not.
 *
 * So an element that one thread forgot is no padding, and every second element is none.
 */
bool padding_fits(const uint8_t *shadow, size_t size, size_t at, size_t bytes);

#endif
