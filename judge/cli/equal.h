/* Equal work, as the staff sees it: of one submission, and all of it. */
#ifndef CLI_EQUAL_H
#define CLI_EQUAL_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* Prints who else has sent work equal to a submission. It prints nothing where the judge
 * does not tell, or nobody has. */
void equal_print(const struct terminal *t, const cJSON *submission);

/* `admin equal`: lists what several people have sent. Returns the exit status. */
int equal_list(struct cli *cli);

#endif
