/* What the verbs `submit`, `run`, `profile`, `status --wait` and `cancel` share. */
#ifndef CLI_SUBMIT_H
#define CLI_SUBMIT_H

#include "cli/cli.h"

#include <stdint.h>

/* Waits for a submission, shows its result, and returns the exit status of its
 * verdict. */
int submit_wait(struct cli *cli, long id);

/* Sends the file that the verb was given, and does the same. */
int submit_and_wait(struct cli *cli, const char *mode);

/* Sends a source with this mode, and with a case of one's own or NULL, which belongs to
 * the call. Returns an exit status, and the submission's number where it is 0. */
struct source;
struct cJSON;
int submit_source(struct cli *cli, const struct source *source, const char *mode,
                  struct cJSON *own_case, int64_t *id);

/* Adds to a submission the command that runs the verb's file again, for result_print().
 */
void submit_add_command(const struct cli *cli, struct cJSON *submission);

/* Adds the user's name to a request, where the judge does not know it by itself. */
void submit_add_user(struct cli *cli, struct cJSON *body);

/* Makes the body of such a request, and connects. Returns 0, or the exit status with the
 * report set. The caller deletes the body. */
int submit_body(struct cli *cli, const struct source *source, const char *mode,
                struct cJSON *own_case, struct cJSON **body);

#endif
