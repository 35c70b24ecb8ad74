/* Loading what shall be called. */
#ifndef RUNNER_LOAD_H
#define RUNNER_LOAD_H

#include "runner/guest.h"

#include <stddef.h>

/* Loads a shared object; takes fd's ownership (-1: nonsense). Its constructors run here,
 * and may do anything. NULL: it cannot be loaded, and text says why. */
const struct runner_guest *load_guest(int fd, char *text, size_t text_size);

#endif
