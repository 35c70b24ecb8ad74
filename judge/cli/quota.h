/* The quotas of who asks, as `status` and `whoami` show them. */
#ifndef CLI_QUOTA_H
#define CLI_QUOTA_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints a line for each quota in the judge's answer; none where there is none. */
void quota_print(const struct terminal *t, const cJSON *answer);

#endif
