/* Secrets that a person types, or that come from standard input. */
#ifndef CLI_SECRET_LINE_H
#define CLI_SECRET_LINE_H

#include "cli/cli.h"

#define SECRET_LINE_MAX 2048 /* bytes, with the NUL */

/* Is standard input a terminal? Then questions are asked there. */
bool secret_is_asked(void);

/* Reads a line from standard input, without its end. On a terminal it asks `question`,
 * and shows nothing of what is typed. -1 and a report where there is no line, or a longer
 * one. The caller overwrites the line. */
int secret_read(struct cli *cli, const char *question, char line[SECRET_LINE_MAX]);

/* The same for what is no secret: a terminal shows it. */
int line_read(struct cli *cli, const char *question, char line[SECRET_LINE_MAX]);

/* Overwrites a secret, which no compiler leaves out. POSIX has no function for it. */
void secret_erase(void *secret, size_t len);

/* Reads a password that is to be set; on a terminal twice. */
int new_password_read(struct cli *cli, char password[SECRET_LINE_MAX]);

#endif
