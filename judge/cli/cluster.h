/* How the jobs of a Slurm cluster are that judge for the daemon, in `status`. */
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints nothing where the answer of /api/health says nothing of a cluster. */
void cluster_print(const struct terminal *t, const cJSON *health);

#endif
