/* The tools (nvcc, gcc, the linker) with their options. */
#ifndef COMPILE_TOOLS_H
#define COMPILE_TOOLS_H

#include "compile/build.h"

/* What nvcc takes the source for: C++17, or C++20 with device lambdas. */
enum tool_standard { TOOL_CXX17, TOOL_CXX20, TOOL_STANDARDS };

/* Compiles the wrapper in b's folder to OBJECT_NAME. The standard is for CUDA C++ only.
 * Returns -1 if we failed. */
int tool_compile(const struct build *b, enum tool_standard standard, struct buf *output,
                 enum tool_end *end, struct report *r);

/* Compiles CUDA C++ as C++17, which is nvcc's own choice. If that shows errors, it is
 * compiled as C++20 with device lambdas. *output is what the attempt with fewer errors
 * printed. So all that C++17 does not know hides no mistake in a source of C++20. */
int tool_compile_best(const struct build *b, struct buf *output, enum tool_end *end,
                      struct report *r);

/* Links OBJECT_NAME with lib/guest.o to PROGRAM_NAME. Returns -1 if we failed. */
int tool_link(const struct build *b, struct buf *output, enum tool_end *end,
              struct report *r);

/* Assembles PTX_NAME as a driver would for the modelled device. The output says what
 * ptxas made of each kernel (assembly.h), or why it refused. Returns -1 if we failed. */
int tool_assemble(const struct build *b, struct buf *output, enum tool_end *end,
                  struct report *r);

/* Writes the machine code of CUBIN_NAME as text with source lines to SASS_NAME. Returns
 * -1 if we failed. */
int tool_disassemble(const struct build *b, struct buf *output, enum tool_end *end,
                     struct report *r);

/* Compiles and links the wrapper of a PROGRAM_C with C_MAIN_NAME and AddressSanitizer to
 * PROGRAM_NAME, and runs that (bounds.h). Each returns -1 if we failed. */
int tool_compile_sanitized(const struct build *b, struct buf *output, enum tool_end *end,
                           struct report *r);
int tool_run_sanitized(const struct build *b, struct buf *output, enum tool_end *end,
                       struct report *r);

/* Adds to the cache's key all that matters about the tools and their options. */
int tool_identity(const struct target *t, struct buf *key, struct report *r);

#endif
