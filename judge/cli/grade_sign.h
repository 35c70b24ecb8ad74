/* The bundle of a line that `grade` writes (bundle.h). */
#ifndef CLI_GRADE_SIGN_H
#define CLI_GRADE_SIGN_H

#include "cli/bundle.h"
#include "cli/grade_line.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* What is the same for all lines of a run. */
struct grade_signer {
    struct bundle_key key;
    const char *toolkit;
    const cJSON *devices; /* of GET /api/health */
};

/* Adds the bundle to the line of a submission. */
void grade_sign(const struct grade_signer *signer, cJSON *line,
                const struct grade_line *in, const cJSON *submission);

/* The name of the first member that is another in the line than in its bundle; NULL: each
 * is the same. Members that the bundle does not have, such as the tags, do not count. */
const char *grade_sign_differs(const cJSON *line, const cJSON *bundle);

/* Has this line, of the output's file, a bundle that the signer has signed, and which
 * says the same? */
bool grade_sign_is_own(const struct grade_signer *signer, const cJSON *line);

/* Signs the bundle of a line that was judged before, if it has one, for another id. */
void grade_sign_cached(const struct grade_signer *signer, cJSON *line, const char *id);

#endif
