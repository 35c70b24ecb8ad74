/* What kernels cost on an emulated GPU, as JSON (docs/http-api.md says which members). */
#ifndef DEVICE_COST_JSON_H
#define DEVICE_COST_JSON_H

#include "emulator/emulator.h"

#include <cjson/cJSON.h>

/* The members of counters that count what kernels did, into an object. */
void cost_json_counters(cJSON *o, const struct counters *c);

/* One kernel with its lines. Lines of a file called `filename` are given their text from
 * source; both NULL: no texts. */
cJSON *cost_json_kernel(const struct kernel_cost *k, const char *filename,
                        const char *source);

#endif
