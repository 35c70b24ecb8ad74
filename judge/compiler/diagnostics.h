/* The errors of compilers as data, for programs that show them beside the source. */
#ifndef COMPILER_DIAGNOSTICS_H
#define COMPILER_DIAGNOSTICS_H

/* Reads a message that a user gets of a source that does not compile (compile/messages.h)
 * and returns findings (record/job.h) with one diagnostic for each error and note in it.
 * A message without a place in the source is one diagnostic. The caller frees it. */
char *diagnostics_of_message(const char *message, const char *filename);

#endif
