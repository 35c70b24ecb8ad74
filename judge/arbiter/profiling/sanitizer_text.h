/* Reads what compute-sanitizer prints. What it printed is a stranger's text, since the
 * program that it looks at prints to the same pipe (nvidia_tools.h). */
#ifndef ARBITER_PROFILING_SANITIZER_TEXT_H
#define ARBITER_PROFILING_SANITIZER_TEXT_H

#include "emulator/emulator.h"

/* The tools of compute-sanitizer: X(name, kind of what it finds). */
#define SANITIZERS(X)                                                                    \
    X("memcheck", FAULT_ILLEGAL_ADDRESS)                                                 \
    X("racecheck", FAULT_RACE)                                                           \
    X("initcheck", FAULT_UNINITIALIZED)                                                  \
    X("synccheck", FAULT_DIVERGENT_BARRIER)

/* Finds the next error of a tool from *at on, and moves *at behind it. `out` gets its
 * text, its line and that of its other side. False: there is none. */
bool sanitizer_text_next(const char **at, const char *tool, enum fault_kind kind,
                         struct fault *out);

/* How many errors the tool says that there were; -1: it does not say, and so has not
 * ended well. */
long sanitizer_text_errors(const char *text);

#endif
