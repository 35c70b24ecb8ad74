/* What a user reads when a tool has refused a source: a sentence, or the list of errors.
 */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

#include "compile/build.h"

/* The message for the compiler's or the linker's run. The caller frees it. */
char *message_compile(const struct target *t, enum tool_end end,
                      const struct buf *output);
char *message_link(const struct target *t, enum tool_end end, const struct buf *output);

#endif
