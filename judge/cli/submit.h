/* What the verbs `submit`, `profile`, `status --wait` and `cancel` share. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include "cli/cli.h"

/* Waits for a submission, shows its result, and returns the exit status of its
 * verdict. */
int submit_wait(struct cli *cli, long id);

/* Sends the file that the verb was given, and does the same. */
int submit_and_wait(struct cli *cli, const char *mode);

/* Adds the user's name to a request, where the judge does not know it by itself. */
struct cJSON;
void submit_add_user(struct cli *cli, struct cJSON *body);

/* Makes the body of a request about a source, and connects. Returns 0, or the exit status
 * with the report set. The caller deletes the body. */
struct source;
int submit_body(struct cli *cli, const struct source *source, const char *mode,
                struct cJSON **body);

#endif
