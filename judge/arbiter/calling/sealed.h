/* Copies of programs that nobody can change any more. */
#ifndef ARBITER_CALLING_SEALED_H
#define ARBITER_CALLING_SEALED_H

#include "base/report.h"

/* Makes a sealed file in memory with the contents of the file at path. A process that has
 * its descriptor can map and read it, and do nothing else. (A read-only descriptor of the
 * file itself could be opened again for writing by its name in /proc.) Returns a
 * descriptor, which the caller closes, or -1. */
int sealed_copy(const char *path, struct report *r);

#endif
