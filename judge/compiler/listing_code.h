/* The code of a listing by source line: reads PTX, and what the disassembler prints. */
#ifndef COMPILER_LISTING_CODE_H
#define COMPILER_LISTING_CODE_H

#include "compile/compile.h"

#include <cjson/cJSON.h>

/* What a piece counts for beside its instructions, because a line is quoted with it, and
 * an instruction beside its text. */
#define LISTING_PIECE_BYTES 100
#define LISTING_INSTRUCTION_BYTES 3

/* Adds an object to `functions` for each function of the code: its "symbol", whether it
 * is a "kernel", and its "code". That is a list of pieces in the order of the code, each
 * with the instructions ("text") that stem from one line. A piece of the source `file`
 * has its "line". One of another file has its "file", too, and one that no line is known
 * of has neither.
 *
 * What was inlined from a header stands at the line of `file` that called it. Returns
 * whether something was left out, because there was more than `bytes`. */
bool listing_code_add(cJSON *functions, enum listing_form form, const char *code,
                      const char *file, size_t bytes);

#endif
