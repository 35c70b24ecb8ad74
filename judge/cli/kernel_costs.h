/* Prints what kernels cost on emu. docs/http-api.md describes the JSON object. */
#ifndef CLI_KERNEL_COSTS_H
#define CLI_KERNEL_COSTS_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* After `run` and `submit`: prints each kernel, what bounds it, and its costliest lines
 * with the reason. It prints nothing where a submission has no costs. */
void kernel_costs_print(const struct terminal *t, const cJSON *submission);

/* Prints the same of an array of kernels (harness/device/cost_json.h). */
void kernel_costs_print_list(const struct terminal *t, const cJSON *kernels);

/* Prints what a kernel's or a line's cost comes from, and the word that `explain` knows
 * for it, to the end of the line. Before it are `indent` columns; where `width` columns
 * are too few for both, the word has the next line. */
void kernel_costs_print_why(const struct terminal *t, enum style style, const cJSON *cost,
                            int indent, int width);

/* The costs of a submission, or NULL. */
const cJSON *kernel_costs_of(const cJSON *submission);

/* Prints why there are no costs. False: they are there, or nothing is said of them. */
bool kernel_costs_print_failed(const struct terminal *t, const cJSON *costs);

#endif
