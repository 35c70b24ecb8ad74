/*
 * warpjudge, the command line: what its files share.
 *
 *     main.c           finds the verb, prints what went wrong, exits
 *     args.c           flags and arguments
 *     help.c           --help, from the verbs' own tables
 *     VERB.c           one file for each verb, which defines a struct verb
 *     client.c         HTTP to the daemon
 *     logins.c         the file with the tokens of `login`
 *     secret_line.c    reads tokens and passwords, which a terminal does not show
 *     daemon_start.c   starts a daemon where none answers
 *     follow.c         waits for a submission, also while the daemon restarts
 *     stream.c         the events of a submission, from which follow.c learns of its end
 *     progress.c       shows how far a submission is
 *     result.c         a finished submission as a person reads it
 *     profile_report.c what a profile tells of it
 *     source.c         the user's file: read, checked, its problem's name found
 *     remote/          what stands for the judge of this machine in `make client`
 *     terminal.c       where text goes, and its colours; format.c, table.c and text.c
 *                      make the text
 *
 * Texts of the daemon come from other users. Each loses its control characters before it
 * is printed.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/config.h"
#include "base/report.h"
#include "cli/args.h"
#include "cli/terminal.h"

#include <stdbool.h>

/* The exit statuses, on which scripts rely. docs/ and --help list them. */
enum cli_exit {
    EXIT_ACCEPTED = 0, /* accepted, or what was asked for was done */
    EXIT_OTHER_VERDICT = 1,
    EXIT_BAD_INPUT = 2,    /* wrong usage or bad input */
    EXIT_UNREACHABLE = 3,  /* the judge can't be reached */
    EXIT_JUDGE_FAILED = 4, /* judge_error, or an answer that makes no sense */
    EXIT_BY_SIGNAL = 128,  /* plus the number of the signal by which the user ended it */
};

struct client;

struct cli {
    struct args args;
    struct terminal out, err;
    struct report report;  /* why the verb failed; main prints it */
    struct config config;  /* cli_configure() fills it */
    struct client *client; /* cli_connect() opens it */
    char *account;         /* cli_user() asks for it; NULL: not known */
};

/* The kind of a verb, by which --help explains environment variables and exit
 * statuses. */
enum verb_kind {
    VERB_JUDGES,       /* waits for a verdict, and exits with its status */
    VERB_ASKS,         /* asks the daemon something */
    VERB_LOCAL,        /* works on files of this machine */
    VERB_RUNS_PROGRAM, /* runs a program, and ends as the program does */
    VERB_ABSENT,       /* not in the command line alone (remote/) */
};

struct verb_flag {
    enum flag flag;
    const char *about; /* NULL ends the list */
};

struct verb {
    const char *name;
    const char *arguments; /* "[-p SLUG] FILE.cu" */
    const char *summary;   /* one line, no full stop */
    const char *about;     /* paragraphs, hard-wrapped */
    const char *example;   /* lines that start with two spaces */
    const struct verb_flag *flags;
    enum verb_kind kind;
    int least, most;     /* how many arguments after the verb */
    const char *missing; /* what is printed where there are fewer */
    /* Returns the exit status. If the report is set, main prints it. */
    int (*run)(struct cli *cli);
};

extern const struct verb verb_submit, verb_run, verb_watch, verb_profile, verb_asm,
    verb_rank, verb_user, verb_feed, verb_problems, verb_next, verb_show, verb_hint,
    verb_explain, verb_init, verb_history, verb_status, verb_source, verb_compare,
    verb_cancel, verb_serve, verb_rerun, verb_problem, verb_emu, verb_login, verb_logout,
    verb_whoami, verb_token, verb_session, verb_account, verb_admin, verb_group,
    verb_house, verb_worker, verb_grade, verb_report, verb_verify, verb_key, verb_doctor,
    verb_generate, verb_open;
/* All verbs. The last element is NULL. */
extern const struct verb *const cli_verbs[];

/* The verb with this name, or NULL. */
const struct verb *cli_verb(const char *name);

/* Each returns 0, or an exit status with the report set. cli_connect() also configures.
 * It contacts nobody yet. */
int cli_configure(struct cli *cli);
int cli_connect(struct cli *cli);

/* The user's name: that of --user, of WARPJUDGE_USER, of the account whose token is sent,
 * or the login name. It is valid as long as cli. The account's name is asked for once,
 * where cli_connect() was called. */
const char *cli_user(struct cli *cli);

/* The name that --user or WARPJUDGE_USER says, or NULL. */
const char *cli_said_user(const struct cli *cli);

/* Prints the object on one line of standard output, for --json. */
struct cJSON;
void cli_print_json(struct cli *cli, const struct cJSON *object);

void help_overview(const struct terminal *t);
void help_verb(const struct terminal *t, const struct verb *verb);

#endif
