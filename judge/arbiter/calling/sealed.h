/* Copies of programs that nobody can change any more. */
#ifndef ARBITER_CALLING_SEALED_H
#define ARBITER_CALLING_SEALED_H

#include "base/report.h"

/* A sealed file in memory with the contents of the file at path: a process that is given
 * its descriptor can map and read it, and do nothing else, not even by the name that
 * /proc has for it; a read-only descriptor of the file itself could be opened again for
 * writing there. Returns a descriptor, the caller's to close, or -1. */
int sealed_copy(const char *path, struct report *r);

#endif
