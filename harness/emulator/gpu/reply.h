/* What an emulated GPU answers to its owner. It works for a stranger's program, and may
 * be in that stranger's hands. */
#ifndef EMULATOR_GPU_REPLY_H
#define EMULATOR_GPU_REPLY_H

#include "protocol.h"

/* Checks a reply to a request of this op, and makes it fit to be used. Returns the
 * reply's result: 0, -1 or GPU_NO_MEMORY (gpu.h).
 *
 * It is -1, too, for what no emulated GPU of ours sends. Such are a count that is no
 * exact number in JSON, a time that is none, and more lines than there is room for.
 *
 * Strings are terminated and UTF-8, and lose their control characters, because programs
 * choose the names of their kernels and files. */
int reply_check(enum gpu_control_op op, struct gpu_control_reply *reply);

#endif
