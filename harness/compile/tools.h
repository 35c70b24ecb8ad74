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

/* Links OBJECT_NAME with lib/guest.o to PROGRAM_NAME. Returns -1 if we failed. */
int tool_link(const struct build *b, struct buf *output, enum tool_end *end,
              struct report *r);

/* Assembles PTX_NAME as a driver would for the modelled device. The output says what
 * ptxas made of each kernel (assembly.h), or why it refused. Returns -1 if we failed. */
int tool_assemble(const struct build *b, struct buf *output, enum tool_end *end,
                  struct report *r);

/* Adds to the cache's key all that matters about the tools and their options. */
int tool_identity(const struct target *t, struct buf *key, struct report *r);

#endif
