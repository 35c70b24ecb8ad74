/* What a user reads when a tool has refused a source: a sentence, or the list of errors.
 */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

#include "compile/build.h"

/* The message for the compiler's or the linker's run. The caller frees it. */
char *message_compile(const struct target *t, enum tool_end end,
                      const struct buf *output);
char *message_link(const struct target *t, enum tool_end end, const struct buf *output);

/* The message for the run of ptxas on PTX that nvcc made of the source. */
char *message_assemble(const struct target *t, enum tool_end end,
                       const struct buf *output, const char *ptx);

/* A message if the end of the tool's run says enough by itself; else NULL. `what` is what
 * was done: "compiling". */
char *message_end(enum tool_end end, const char *what);

/* The last resort: the tool's own words without the sandbox's folders. */
char *message_quote(const struct target *t, const char *what, const struct buf *output);

#endif
