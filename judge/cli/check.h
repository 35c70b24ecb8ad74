/*
 * `warpjudge problem check`: how the work is cut up and spread over CPUs. No daemon, no
 * database: job folders of our own, and the same two programs that judge submissions.
 *
 *   check.c       problems, their steps, threads that take the next step, what is printed
 *   check_step.c  one step: a job folder, warpjudge-compile, warpjudge-arbiter
 *   check_run.c   one program in the foreground, with a deadline
 *
 * A problem's steps: first the folder itself and its reference (STEP_PROBLEM); only if it
 * can be used, all the others in any order: reference.cu where there are two references,
 * and each solution, judged on emu as submissions are.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/cli.h"
#include "core/findings.h"

#include <stdint.h>

struct check_options {
    const struct config *config;
    char *solutions; /* the folder beside problems/ */
    char *scratch;   /* a folder for job folders */
    char *arch;      /* what nvcc is asked for on emu */
    bool insecure;
};

/* What one step found. `failure`: NULL, or what went wrong with us, not with the problem;
 * then the findings are not all. */
struct step_result {
    struct findings findings;
    char *failure;
    int accepted, refused; /* solutions whose headers say so */
    bool filled;           /* the statement's question marks are */
    bool unusable; /* STEP_PROBLEM: nothing can be judged against this reference */
};

/* What is known of a problem once its folder has been read. */
struct check_facts {
    int tests;
    bool has_c, has_cu;
    char *not_here; /* NULL, or why emu judges no solutions of it; owned */
};

/* The folder, the spec, the reference, the tests' soundness. */
void step_problem(const struct check_options *o, const char *slug,
                  struct check_facts *facts, struct step_result *out);

/* Judges the file at `path`, called `name` in messages, and compares its verdict with
 * what its header states, or with `expected` where that is not NULL. compile_only: for
 * what is not judged on emu; then a file that need not be a compile_error must compile.
 */
void step_judge(const struct check_options *o, const char *slug, const char *path,
                const char *name, const char *expected, bool compile_only,
                struct step_result *out);

void step_result_free(struct step_result *r);

/* Runs argv, feeds it `input`, and waits. *said is what it printed on `stream`: all of
 * standard output, or the last line of standard error. Returns its exit status; -1: it
 * was killed, or could not be run, and *said says so. The caller frees *said. Safe in
 * threads.
 */
int check_run(const char *const *argv, const char *input, uint64_t deadline_ms,
              int stream, char **said);

/* The verb. slugs: NULL for all. Returns the exit status. */
int check_problems(struct cli *cli, const char *const *slugs, int count, long jobs);

#endif
