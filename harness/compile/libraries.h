/* Which headers and libraries of the CUDA Toolkit a target gets. */
#ifndef COMPILE_LIBRARIES_H
#define COMPILE_LIBRARIES_H

#include "compile/compile.h"

/* May t include what has this name in the toolkit's include folder, or in its cccl? */
bool libraries_serve(const struct target *t, const char *header);

/* The linker's arguments for a library, NULL-terminated; none if it has only headers. */
const char *const *libraries_to_link(enum library l);

/* Why t does not have the header (of length len), if it belongs to a library; else NULL.
 * It is a sentence without a place in the source. The caller frees it. */
char *libraries_explain(const struct target *t, const char *header, size_t len);

#endif
