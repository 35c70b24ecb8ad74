/* Which headers and libraries of the CUDA Toolkit a target gets. */
#ifndef COMPILE_LIBRARIES_H
#define COMPILE_LIBRARIES_H

#include "compile/compile.h"

/* Makes FOLDER/INCLUDE_NAME, a folder of links to the headers that t may include. */
int libraries_link_headers(const struct target *t, const char *folder, struct report *r);

/* The linker's arguments for a library, NULL-terminated; none if it has only headers. */
const char *const *libraries_to_link(enum library l);

/* Why t does not have the header (of length len), if it belongs to a library; else NULL.
 * It is a sentence without a place in the source. The caller frees it. */
char *libraries_explain(const struct target *t, const char *header, size_t len);

#endif
