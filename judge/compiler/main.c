/*
 * warpjudge-compile JOBDIR: the compile step of one attempt. record/job.h says what is in
 * the folder and what is printed. A thread of its own compiles the reference while nvcc
 * works on the submission, so that an arbiter can start the reference early and prepare
 * inputs.
 *
 * warpjudge-compile --submission JOBDIR compiles the submission alone, for an arbiter on
 * another machine. There `warpjudge-compile --judged JOBDIR` compiles the reference for
 * what came, and leaves no compile.json.
 *
 * warpjudge-compile --reference JOBDIR compiles the reference alone, and compile.json is
 * about it.
 *
 * warpjudge-compile --bounds JOBDIR finds the line at which a reference in C leaves its
 * buffers (find_bounds()). It follows the arbiter's check of the problem.
 *
 * warpjudge-compile --listing FORM BYTES JOBDIR shows what the submission is compiled to.
 * As many bytes of its kernels' code are in listing.json where compile.json says ok.
 * Nothing is linked.
 *
 * warpjudge-compile --spec PROBLEMS SLUG prints what is wrong with a problem's folder, a
 * JSON object a line (problem_check.h). Nothing is compiled, and the exit status is 0.
 *
 * The exit status is 0 where compile.json is there, whatever it says, or what was asked
 * for instead. It is 4 where we failed, and standard error says why.
 */
#include "compiler/diagnostics.h"
#include "compiler/listing.h"
#include "compiler/programs.h"

#include "base/buf.h"
#include "problem/problem_check.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NICENESS 10

struct work {
    const struct config *config;
    const struct job *job;
    const struct problem *problem;
    const char *folder;
    struct report report; /* of the reference; it is read after pthread_join() */
    int rc;
};

static void
compile_say(const char *event)
{
    printf("{\"event\":\"%s\"}\n", event);
    fflush(stdout);
}

static void
log_warning(const struct report *r)
{
    if (report_is_set(r))
        fprintf(stderr, "warpjudge-compile: warning: %s\n", r->text);
}

static void *
reference_thread(void *argument)
{
    struct work *w = argument;

    w->rc = compile_reference(w->config, w->job, w->folder, w->problem, &w->report);
    if (w->rc == 0) {
        compile_say("reference");
        log_warning(&w->report);
    }
    return NULL;
}

static void
compile_write(const struct work *w, struct compile_result *result)
{
    struct report r = {0};

    if (!result->ok && result->verdict == VERDICT_COMPILE_ERROR &&
        result->findings == NULL)
        result->findings = diagnostics_of_message(result->message, w->job->filename);
    if (compile_result_write(w->folder, result, &r) != 0)
        die(4, "%s", r.text);
}

static void
compile_finish(const struct work *w, struct compile_result *result,
               struct report *warning)
{
    log_warning(warning);
    compile_write(w, result);
    compile_result_free(result);
    compile_say("done");
}

/* Has ptxas assemble the submission, which may be judged meanwhile. */
static void
compile_step_assemble(const struct work *w, struct compile_result *result)
{
    struct report r = {0};

    compile_write(w, result);
    compile_say("linked");
    if (assemble_submission(w->config, w->job, w->folder, w->problem, result, &r) != 0)
        die(4, "%s", r.text);
    log_warning(&r);
}

static void
compile_step_reference(struct work *w)
{
    struct compile_result result;

    if (compile_reference_alone(w->config, w->job, w->folder, w->problem, &result,
                                &w->report) != 0)
        die(4, "%s", w->report.text);
    compile_finish(w, &result, &w->report);
}

static void
compile_step_bounds(struct work *w)
{
    if (find_bounds(w->config, w->job, w->folder, w->problem, &w->report) != 0)
        die(4, "%s", w->report.text);
}

static void
compile_step_judged(struct work *w)
{
    reference_thread(w);
    if (w->rc != 0)
        die(4, "%s", w->report.text);
}

static void
compile_submission_step(struct work *w, bool with_reference)
{
    struct report r = {0};
    struct compile_result result;
    bool unassembled = false;
    pthread_t thread;
    int rc;

    if (with_reference && pthread_create(&thread, NULL, reference_thread, w) != 0)
        die(4, "no thread for the reference");
    rc = compile_submission(w->config, w->job, w->folder, w->problem, &result,
                            &unassembled, &r);
    if (with_reference) {
        compile_say("submission");
        pthread_join(thread, NULL);
    }
    if (w->rc != 0)
        die(4, "%s", w->report.text);
    if (rc != 0)
        die(4, "%s", r.text);
    if (unassembled)
        compile_step_assemble(w, &result);
    compile_finish(w, &result, &r);
}

static void
compile_step_run(struct work *w)
{
    compile_submission_step(w, true);
}

static void
compile_step_submission(struct work *w)
{
    compile_submission_step(w, false);
}

/* What a flag without a value asks for. */
static const struct step {
    const char *flag;
    void (*run)(struct work *w);
} STEPS[] = {
    {"--submission", compile_step_submission},
    {"--judged", compile_step_judged},
    {"--reference", compile_step_reference},
    {"--bounds", compile_step_bounds},
};

static const struct step *
find_step(const char *flag)
{
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        if (strcmp(flag, STEPS[i].flag) == 0)
            return &STEPS[i];
    return NULL;
}

static void
compile_step_list(struct work *w, const struct listing_wanted *wanted)
{
    struct compile_result result;

    if (list_submission(w->config, w->job, w->folder, w->problem, wanted, &result,
                        &w->report) != 0)
        die(4, "%s", w->report.text);
    compile_finish(w, &result, &w->report);
}

/* Tells what is wrong with a problem's folder, a JSON object a line. */
static void
tell_finding(void *context, const char *where, const char *sentence)
{
    cJSON *o = cJSON_CreateObject();
    char *line;

    (void)context;
    cJSON_AddStringToObject(o, "where", where);
    cJSON_AddStringToObject(o, "sentence", sentence);
    line = cJSON_PrintUnformatted(o);
    if (line == NULL || puts(line) < 0)
        die(4, "a finding cannot be told");
    free(line);
    cJSON_Delete(o);
}

int
main(int argc, char **argv)
{
    struct report r = {0};
    struct config config;
    struct job job;
    struct problem *problem;
    const struct step *step = argc == 3 ? find_step(argv[1]) : NULL;
    const bool spec = argc == 4 && strcmp(argv[1], "--spec") == 0;
    struct listing_wanted wanted;
    const bool lists = argc == 5 && strcmp(argv[1], "--listing") == 0 &&
                       listing_form_parse(argv[2], &wanted.form) == 0 &&
                       listing_bytes_parse(argv[3], &wanted.bytes) == 0;
    struct work work;
    char *folder;

    if (argc != 2 && step == NULL && !lists && !spec)
        die(2, "usage: warpjudge-compile [--submission | --judged | --reference | "
               "--bounds | --listing ptx|sass BYTES] JOBDIR");
    /* Processes whose time is measured come first. All compilers inherit this. Where the
     * daemon itself has a lower priority, only root could raise it to that. */
    if (getpriority(PRIO_PROCESS, 0) < NICENESS &&
        setpriority(PRIO_PROCESS, 0, NICENESS) != 0)
        die(4, "the compilers' priority cannot be lowered: %s", strerror(errno));
    if (spec) {
        (void)problem_check(argv[2], argv[3], tell_finding, NULL);
        return 0;
    }
    umask(022); /* compilers, which run as other users, read what we write */
    folder = realpath(argv[argc - 1], NULL);
    if (folder == NULL)
        die(2, "%s: no such job folder", argv[argc - 1]);
    if (config_load(&config, &r) != 0 || job_read(folder, &job, &r) != 0)
        die(4, "%s", r.text);
    config_find_toolkit(&config);
    problem = problem_load(job.problems_dir, job.problem, &r);
    if (problem == NULL)
        die(4, "%s", r.text);
    work = (struct work){&config, &job, problem, folder, {""}, 0};
    if (step != NULL)
        step->run(&work);
    else if (lists)
        compile_step_list(&work, &wanted);
    else
        compile_step_run(&work);
    problem_free(problem);
    job_free(&job);
    config_free(&config);
    free(folder);
    return 0;
}
