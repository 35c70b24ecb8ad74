/* Reads the tables of Nsight Compute, and makes of them the costs of kernels as an
 * emulated GPU tells them (docs/http-api.md, "counters"). What is in the tables is a
 * stranger's (nvidia_tools.h): any number and any text. */
#ifndef ARBITER_PROFILING_NCU_KERNELS_H
#define ARBITER_PROFILING_NCU_KERNELS_H

#include "arbiter/profiling/csv_table.h"
#include "base/buf.h"

#include <cjson/cJSON.h>

/* Adds the names of the metrics that are read, with commas between them. */
void ncu_kernels_metrics(struct buf *out);

/* The array of kernels, the one with the longest time first. `raw` has a row for each
 * launch (--page raw), `source` the lines of each (ncu_lines.c); NULL: none.
 * Lines of the file called `filename` get their text from `text`. */
cJSON *ncu_kernels_read(const struct csv_table *raw, const struct csv_table *source,
                        const char *filename, const char *text);

#endif
