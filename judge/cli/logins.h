/*
 * The file of logins: for each judge that `warpjudge login` has signed in to, its
 * address, the account's name and the token. One of them is the current judge, which
 * commands use where neither WARPJUDGE_URL nor WARPJUDGE_HOME is set.
 *
 * The file is $XDG_CONFIG_HOME/warpjudge/logins.json, or ~/.config/warpjudge/logins.json,
 * of mode 0600. It is replaced as a whole.
 */
#ifndef CLI_LOGINS_H
#define CLI_LOGINS_H

#include "base/report.h"

#include <stdbool.h>

struct login {
    char *url; /* of login_url() */
    char *name, *token;
};

void login_free(struct login *l);

/* The address as the file has it: without a slash at its end. Where *fragment is not NULL
 * the address may end in # and a text, which *fragment becomes; else that is NULL. NULL
 * and a report for what is not http://HOST or https://HOST. The caller frees both. */
char *login_url(const char *text, char **fragment, struct report *r);

/* May a token go to this address? It may by HTTPS, and to this machine. By plain HTTP
 * everybody between here and there could read it. Otherwise -1 with a report. */
int login_check_secrecy(const char *url, struct report *r);

/* The login for this address, or the current one for NULL. */
int login_load(const char *url, bool *found, struct login *out, struct report *r);

/* Adds or replaces a login, and makes it the current one. */
int login_store(const struct login *l, struct report *r);

/* Removes the login for this address, which need not be there. */
int login_forget(const char *url, struct report *r);

#endif
