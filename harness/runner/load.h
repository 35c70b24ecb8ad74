/* Loads the program that a runner calls. */
#ifndef RUNNER_LOAD_H
#define RUNNER_LOAD_H

#include "runner/guest.h"

#include <stddef.h>

/* Loads a shared object from fd and takes its ownership (-1: an invalid request). The
 * constructors of the object run here and may do anything. Returns NULL if it cannot be
 * loaded; text then says why. */
const struct runner_guest *load_guest(int fd, char *text, size_t text_size);

#endif
