/* A submission (docs/http-api.md) as a person reads it. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "cli/terminal.h"

#include <cjson/cJSON.h>

/* Finished or not. */
void result_print(const struct terminal *t, const cJSON *submission);

/* The exit status that a finished submission stands for. */
int result_exit_status(const cJSON *submission);

/* "wrong answer" for "wrong_answer": how a verdict or state is shown, and in which style.
 */
const char *verdict_shown(const char *verdict);
enum style verdict_style(const char *verdict);

#endif
