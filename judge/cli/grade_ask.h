/* Questions of `grade` to the judge, which wait for one that went away or has no room. */
#ifndef CLI_GRADE_ASK_H
#define CLI_GRADE_ASK_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

enum grade_answer {
    ANSWER_OK,      /* *out is the answer, which the caller deletes */
    ANSWER_REFUSED, /* the judge says why it does not do this; the report is `why` */
    ANSWER_LATER,   /* of a submission: there is no room; client_retry_after_s() */
    ANSWER_END,     /* the run cannot go on; cli->report says why, *status how it ends */
};

enum grade_answer grade_get(struct cli *cli, const char *path, cJSON **out,
                            struct report *why, int *status);
enum grade_answer grade_post(struct cli *cli, const char *path, const char *key,
                             const cJSON *body, cJSON **out, struct report *why,
                             int *status);

#endif
