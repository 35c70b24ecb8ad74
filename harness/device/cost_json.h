/* What kernels cost on an emulated GPU, as JSON (docs/http-api.md says which members). */
#ifndef DEVICE_COST_JSON_H
#define DEVICE_COST_JSON_H

#include "emulator/emulator.h"

#include <cjson/cJSON.h>

/* Adds to o the counters of what kernels did. */
void cost_json_counters(cJSON *o, const struct counters *c);

/* One kernel with its lines. Lines of the file called `filename` get their text from
 * source. If both are NULL, no line has a text. */
cJSON *cost_json_kernel(const struct kernel_cost *k, const char *filename,
                        const char *source);

/* Adds to such a kernel the lines that k tells, behind those that are there. */
void cost_json_add_lines(cJSON *kernel, const struct kernel_cost *k, const char *filename,
                         const char *source);

#endif
