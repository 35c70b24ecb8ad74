/* How the judge's secrets look: a prefix, which says what a secret is for, and 64
 * hexadecimal digits. accounts.h draws and hashes them. */
#ifndef RECORD_SECRET_FORM_H
#define RECORD_SECRET_FORM_H

#include <stdbool.h>

#define TOKEN_PREFIX "wjt_"
#define INVITATION_PREFIX "wji_"
#define GROUP_CODE_PREFIX "wjg_"
#define SESSION_PREFIX "wjs_"
#define RESET_PREFIX "wjr_"
#define SECRET_BYTES (4 + 64 + 1) /* with the NUL */

/* Has the text the form of such a secret? */
bool secret_is_valid(const char *prefix, const char *text);

#endif
