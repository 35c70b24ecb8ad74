/* Prints a profile: of each kernel its bounds, occupancy, memory accesses, warps and
 * source lines. docs/http-api.md describes the JSON object. */
#ifndef CLI_PROFILE_REPORT_H
#define CLI_PROFILE_REPORT_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints the profile of a submission, or why it has none. It prints nothing where the
 * submission came to no profile. */
void profile_report_print(const struct terminal *t, const cJSON *submission);

#endif
