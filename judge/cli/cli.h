/*
 * warpjudge, the command line: what its files share.
 *
 *   main.c      finds the verb, prints what went wrong, exits
 *   args.c      flags and arguments; help.c prints --help from the verbs' own tables
 *   VERB.c      one file per verb, exporting a struct verb
 *   client.c    HTTP to the daemon; launch.c starts one where none answers
 *   watch.c     waits for a submission through its event stream (stream.c), whatever
 *               happens to the daemon meanwhile; progress.c shows how far it is
 *   result.c    a finished submission as a person reads it
 *   source.c    the user's file: read, checked, its problem's name found
 *   terminal.c, format.c, table.c, text.c   how things are printed
 *
 * The command line trusts nobody more than the terminal's user does: every text of the
 * daemon, and so of other users, loses its control characters before it is printed.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/args.h"
#include "cli/terminal.h"
#include "core/config.h"
#include "core/report.h"

#include <stdbool.h>

/* What the process ends with: part of the contract, docs/ and --help state it. */
enum cli_exit {
    EXIT_ACCEPTED = 0, /* or: the question was answered */
    EXIT_OTHER_VERDICT = 1,
    EXIT_BAD_INPUT = 2,    /* wrong usage or bad input */
    EXIT_UNREACHABLE = 3,  /* the judge can't be reached */
    EXIT_JUDGE_FAILED = 4, /* judge_error, or an answer that makes no sense */
    EXIT_BY_SIGNAL = 128,  /* + the signal's number: the user stopped waiting */
};

struct client;

struct cli {
    struct args args;
    struct terminal out, err;
    struct report report;  /* why the verb failed; main prints it */
    struct config config;  /* filled by cli_configure */
    struct client *client; /* opened by cli_connect */
};

/* Which environment variables and exit statuses --help explains. */
enum verb_kind {
    VERB_JUDGES,       /* waits for a verdict, exits with it */
    VERB_ASKS,         /* asks the daemon something */
    VERB_LOCAL,        /* works on files of this machine */
    VERB_RUNS_PROGRAM, /* and ends as that does */
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
    const char *missing; /* the sentence where there are fewer */
    /* Returns the exit status; where the report is set, main prints it. */
    int (*run)(struct cli *cli);
};

extern const struct verb verb_submit, verb_run, verb_rank, verb_problems, verb_show,
    verb_init, verb_history, verb_status, verb_serve, verb_problem, verb_emu;
extern const struct verb *const cli_verbs[]; /* ends with NULL */

const struct verb *cli_verb(const char *name); /* NULL: none of that name */

/* Each returns 0, or an exit status with the report set. */
int cli_configure(struct cli *cli);
int cli_connect(struct cli *cli); /* configures too; contacts nobody yet */

/* --user, WARPJUDGE_USER, else the login name; valid as long as cli. */
const char *cli_user(struct cli *cli);

/* --json: the object on one line of standard output. */
struct cJSON;
void cli_print_json(struct cli *cli, const struct cJSON *object);

void help_overview(const struct terminal *t);
void help_verb(const struct terminal *t, const struct verb *verb);

#endif
