/* What a program is linked with, as one hash. A program that was linked on another
 * machine runs here where the hashes are equal. */
#ifndef COMPILE_LINKED_H
#define COMPILE_LINKED_H

#include "base/config.h"
#include "base/report.h"

#define LINKED_BYTES 65 /* SHA-256 in hexadecimal, and the NUL */

/* The hash covers the files of ours that are in each program, and the versions of the C
 * library and of g++, whose C++ library a program loads. */
int compile_linked_with(const struct config *c, char out[LINKED_BYTES], struct report *r);

#endif
