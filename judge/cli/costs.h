/* What kernels cost on emu, for people: see docs/http-api.md for the object. */
#ifndef CLI_COSTS_H
#define CLI_COSTS_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* After `run`: each kernel, what bounds it, and its costliest lines with the reason.
 * Prints nothing where a submission has no costs. */
void costs_print(const struct terminal *t, const cJSON *submission);

/* The same of an array of kernels (harness/device/cost_json.h). */
void costs_print_kernels(const struct terminal *t, const cJSON *kernels);

/* After `submit`: the costliest line, in one line. */
void costs_print_line(const struct terminal *t, const cJSON *submission);

#endif
