/* Prints a submission (docs/http-api.md) for a person. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Prints a submission, which may be finished or not. */
void result_print(const struct terminal *t, const cJSON *submission);

/* The exit status that a finished submission stands for. */
int result_exit_status(const cJSON *submission);

/* How a verdict or state of the API is shown, such as "wrong answer" for "wrong_answer",
 * and in which style. */
const char *verdict_shown(const char *verdict);
enum style verdict_style(const char *verdict);

/* Where a queued submission, or its event, stands: "queued, 2nd in line, in about 7 s".
 */
void result_place(char *text, size_t size, const cJSON *o);

#endif
