/*
 * The folder of the toolkit's headers that a source can include. nvcc runs without its
 * profile, because that would put the toolkit's whole include folder on the path. Instead
 * there is a folder of links to the headers of CUDA itself and of the problem's libraries
 * (libraries.h).
 *
 * Such a folder has some 180 links. All compiles with the same libraries share one, which
 * is CACHE/headers/KEY. KEY is a hash of the toolkit and of what is linked to. One rename
 * makes the folder appear whole, and a lock on CACHE/headers lets one compile make it, so
 * that none takes away what another has just begun to use. A folder that lacks a link is
 * made anew, because the submission would be blamed for a header that is not found.
 */
#ifndef COMPILE_HEADERS_H
#define COMPILE_HEADERS_H

#include "compile/compile.h"

/* The path of the shared folder, which the caller frees; NULL where the cache cannot keep
 * one. */
char *headers_shared(const struct target *t, const char *cache);

/* Makes a folder of links. */
int headers_link(const struct target *t, const char *folder, struct report *r);

#endif
