/* Runs a program and reads what it prints. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

#include "base/buf.h"

/* Runs argv[0], which is a path or is looked for on PATH, with nothing to read. Adds to
 * out what it prints on stdout and stderr. Returns its exit status, or -1 where it cannot
 * be run or was ended by a signal. */
int program_output(const char *const *argv, struct buf *out);

#endif
