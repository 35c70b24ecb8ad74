/* The code of a listing by source line: reads PTX, and what the disassembler prints. */
#ifndef COMPILER_LISTING_CODE_H
#define COMPILER_LISTING_CODE_H

#include "compile/compile.h"

#include <cjson/cJSON.h>

/* The most that a listing tells of instructions. The rest is left out. */
#define LISTING_CODE_BYTES_MAX ((size_t)1 << 20)

/* Adds an object to `functions` for each function of the code: its "symbol", whether it
 * is a "kernel", and its "code". That is a list of pieces in the order of the code, each
 * with the instructions ("text") that stem from one line. A piece of the source `file`
 * has its "line". One of another file has its "file", too, and one that no line is known
 * of has neither.
 *
 * What was inlined from a header stands at the line of `file` that called it. Returns
 * whether something was left out. */
bool listing_code_add(cJSON *functions, enum listing_form form, const char *code,
                      const char *file);

#endif
