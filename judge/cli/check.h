/*
 * `warpjudge problem check`: how its work is cut into steps and spread over CPUs. It uses
 * no daemon and no database, but job folders of its own and the two programs that judge
 * submissions.
 *
 *     check.c        problems, their steps, the threads that take steps, the output
 *     check_step.c   one step, in a job folder
 *     job_run.c      a job folder, warpjudge-compile and warpjudge-arbiter
 *     check_run.c    one program in the foreground, with a deadline
 *
 * The first step of a problem checks the folder itself and its reference (step_problem).
 * If the problem can be used, the others follow in any order: reference.cu, where there
 * are two references, and each solution. They are judged on emu as submissions are
 * (step_judge).
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/cli.h"
#include "record/findings.h"

#include <stdint.h>

/* How much is judged: is_left_out() of check_step.c has the difference. */
enum check_extent {
    CHECK_ALL,
    CHECK_SAMPLE, /* of many problems, some of their solutions */
    CHECK_FAST,   /* of a problem that is being written, only what it needs */
};

struct check_options {
    const struct config *config;
    char *solutions; /* the folder beside problems/ */
    char *scratch;   /* a folder for job folders */
    char *arch;      /* what nvcc is asked for on emu */
    bool insecure;
    enum check_extent extent;
    bool uncontracted; /* one file: nvcc makes no fused multiply-adds of it */
};

/* What one step found. `failure` is a failure of ours, not of the problem, or NULL. Where
 * there is one, the findings are not complete. */
struct step_result {
    struct findings findings;
    char *failure;
    int accepted, refused; /* solutions by what their headers say they must be */
    bool filled;           /* the statement's question marks were filled in */
    bool unusable;         /* step_problem: nothing can be judged by this reference */
};

/* What is known of a problem once its folder has been read. */
struct check_facts {
    int tests;
    bool has_c, has_cu;
    char *not_here; /* why emu judges no solutions of it, or NULL; owned */
};

/* Checks the folder, the spec, the reference and the soundness of the tests. */
void step_problem(const struct check_options *o, const char *slug,
                  struct check_facts *facts, struct step_result *out);

/* Judges the file at `path`, which messages call `name`. Its verdict must be the one that
 * its header states, or `expected` where that is not NULL. A file that must be accepted
 * must be so without fused multiply-adds, too. compile_only is for files that
 * emu does not judge. Such a file must compile, unless a compile_error is expected. A
 * file whose header says that it needs more than emu's PTX is only compiled, for what it
 * needs. Where o->extent is not CHECK_ALL, some files are read and not judged. */
void step_judge(const struct check_options *o, const char *slug, const char *path,
                const char *name, const char *expected, bool compile_only,
                struct step_result *out);

void step_result_free(struct step_result *r);

/* Runs argv, writes `input` to its stdin, and waits. *said is what it printed on
 * `stream`: all of standard output, or the last line of standard error. Returns its exit
 * status. -1 where it was killed or could not be run, and then *said says so. The caller
 * frees *said. Several threads may call it. */
int check_run(const char *const *argv, const char *input, uint64_t deadline_ms,
              int stream, char **said);

/* Checks these problems, or all where slugs is NULL, and returns the exit status. */
int check_problems(struct cli *cli, const char *const *slugs, int count, long jobs);

#endif
