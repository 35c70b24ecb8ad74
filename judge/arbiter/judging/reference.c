#include "arbiter/judging/reference.h"

#include "arbiter/judging/explain.h"
#include "arbiter/judging/inputs.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits in used time (meter.h). References are trusted, but one that never ends must not
 * hang the judge. */
#define REFERENCE_START_MS 60000
#define REFERENCE_CALL_MS 120000

#define PROGRAM_BYTES_MAX ((size_t)1 << 30)

#define FENCE_BYTES_MAX 4096 /* the rest of a page */

/* cudaErrorMemoryAllocation, and the driver's CUDA_ERROR_OUT_OF_MEMORY. */
#define STATUS_OUT_OF_MEMORY 2

struct reference {
    const struct problem *problem;
    struct device *target; /* the submission's */
    struct device *device; /* the reference's: the host, target, or an emulated GPU */
    struct runner_link *runner;
    char *runner_program, *object; /* what it was started from */
    bool insecure;
    int call_ms;                     /* REFERENCE_CALL_MS, or what the options say */
    struct author *inputs, *checker; /* NULL: the problem has none */
    const struct call_set *attached; /* the set that the runner has mapped */
    struct call_set work;            /* where answers that are kept are made, or zeros */
    unsigned char (*fence)[FENCE_BYTES_MAX]; /* behind each buffer; NULL: not fenced */
    uint64_t poison_seed;
    bool held;       /* fence and poison stay as they were in the last answer */
    char hash[65];   /* of the program's file; "": it is not kept */
    bool has_failed; /* in any answer */

    /* About the last answer: its test, its inputs' seed, and how it failed (reference.h).
     */
    const struct test_case *test;
    uint64_t seed;
    bool failed, ended, broke_fence, short_of_memory;
};

static int
open_reference_device(struct reference *ref, const struct reference_options *o,
                      struct report *r)
{
    struct device_options options = o->device_options;

    /* The reference is trusted, so its emulated GPU makes no checks. */
    options.checks = false;
    options.instruction_budget = 0;
    if (strcmp(o->kind, "c") == 0)
        ref->device = device_open("host", &options, r);
    else if (strcmp(o->kind, "cu") != 0)
        return report_fail(r, "a reference of the kind \"%s\" is not known", o->kind);
    else if (device_clock_modelled(ref->target))
        ref->device = device_open("emu", &options, r);
    else
        ref->device = ref->target;
    return ref->device != NULL ? 0 : -1;
}

static int
start_reference_runner(struct reference *ref, struct report *r)
{
    struct device_runner device;
    const struct runner_options runner = {.program = ref->runner_program,
                                          .device = &device,
                                          .insecure = ref->insecure,
                                          .one_queue = true};

    if (device_runner(ref->device, &device, r) != 0 ||
        runner_link_start(&runner, &ref->runner, r) != 0)
        return -1;
    return runner_link_load(ref->runner, ref->object, r);
}

static char *
program_path(const struct reference_options *o)
{
    return xasprintf("%s/%s", o->folder, o->program != NULL ? o->program : "reference");
}

static int
open_reference_process(struct reference *ref, const struct reference_options *o,
                       struct report *r)
{
    ref->runner_program = xstrdup(o->runner_program);
    ref->object = program_path(o);
    ref->insecure = o->device_options.insecure;
    if (open_reference_device(ref, o, r) == 0 && start_reference_runner(ref, r) == 0)
        return 0;
    report_prefix(r, "the reference of %s", ref->problem->slug);
    return -1;
}

int
reference_hash(const struct reference_options *o, const struct device *target,
               char hash[65], struct report *r)
{
    struct buf bytes = {0};
    char *path;
    int rc;

    hash[0] = '\0';
    if (strcmp(o->kind, "cu") != 0 || o->fenced || device_clock_modelled(target))
        return 0;
    path = program_path(o);
    rc = file_read(path, PROGRAM_BYTES_MAX, &bytes, r);
    if (rc == 0)
        hash_hex(bytes.data, bytes.len, hash);
    buf_free(&bytes);
    free(path);
    return rc;
}

static int
open_author(const struct reference *ref, const struct reference_options *o,
            const char *name, struct author **out, struct report *r)
{
    char *object = xasprintf("%s/%.*s", o->folder, (int)strcspn(name, "."), name);
    const struct author_options options = {.runner_program = o->runner_program,
                                           .object = object,
                                           .name = name,
                                           .slug = ref->problem->slug,
                                           .insecure = o->device_options.insecure};
    int rc = author_open(&options, out, r);

    free(object);
    return rc;
}

static int
open_authors(struct reference *ref, const struct reference_options *o, struct report *r)
{
    const struct problem *p = ref->problem;

    if (p->has_inputs_c && open_author(ref, o, "inputs.c", &ref->inputs, r) != 0)
        return -1;
    return p->has_checker_c ? open_author(ref, o, "checker.c", &ref->checker, r) : 0;
}

int
reference_open(const struct reference_options *o, const struct problem *p,
               struct device *target, struct reference **out, struct report *r)
{
    struct reference *ref = xcalloc(1, sizeof *ref);

    ref->problem = p;
    ref->target = target;
    ref->call_ms = o->call_ms > 0 ? o->call_ms : REFERENCE_CALL_MS;
    if (o->fenced && strcmp(o->kind, "c") == 0)
        ref->fence = xcalloc(PROBLEM_PARAMS_MAX, sizeof *ref->fence);
    if (o->hash != NULL)
        snprintf(ref->hash, sizeof ref->hash, "%s", o->hash);
    if (open_reference_process(ref, o, r) != 0 || open_authors(ref, o, r) != 0) {
        reference_close(ref);
        return -1;
    }
    *out = ref;
    return 0;
}

int
reference_wake(struct reference *ref, struct report *r)
{
    if (runner_link_wake(ref->runner, r) == 0)
        return 0;
    report_prefix(r, "the reference of %s", ref->problem->slug);
    return -1;
}

bool
reference_is_on_target(const struct reference *ref)
{
    return device_shares_memory(ref->device, ref->target);
}

void
reference_kill(struct reference *ref)
{
    runner_link_kill(ref->runner);
}

void
reference_stop(struct reference *ref)
{
    runner_link_free(ref->runner);
    ref->runner = NULL;
}

void
reference_end_processes(struct reference *ref)
{
    reference_stop(ref);
    author_close(ref->inputs);
    author_close(ref->checker);
    ref->inputs = ref->checker = NULL;
}

void
reference_close(struct reference *ref)
{
    if (ref == NULL)
        return;
    reference_end_processes(ref);
    call_set_free(&ref->work);
    if (ref->device != ref->target)
        device_close(ref->device);
    free(ref->fence);
    free(ref->runner_program);
    free(ref->object);
    free(ref);
}

/* --- of an arbiter that stays ----------------------------------------------- */

bool
reference_rest(struct reference *ref)
{
    const struct runner_request detach = {.op = RUNNER_DETACH};
    struct runner_reply reply = {0};
    struct runner_limit limit;

    if (ref->hash[0] == '\0' || ref->runner == NULL || ref->has_failed)
        return false;
    author_close(ref->inputs);
    author_close(ref->checker);
    ref->inputs = ref->checker = NULL;
    ref->attached = NULL;
    call_set_free(&ref->work);
    ref->held = false;
    ref->problem = NULL;
    ref->test = NULL;
    limit = runner_limit_used(ref->runner, REFERENCE_START_MS);
    runner_link_send(ref->runner, &detach, -1);
    return runner_link_await(ref->runner, RUNNER_READY, &limit, &reply) ==
               RUNNER_ANSWERED &&
           reply.status == 0;
}

bool
reference_is_that(const struct reference *ref, const struct reference_options *o,
                  const struct device *target)
{
    return ref->target == target && strcmp(o->kind, "cu") == 0 && !o->fenced &&
           ref->insecure == o->device_options.insecure &&
           strcmp(ref->runner_program, o->runner_program) == 0 && o->hash != NULL &&
           strcmp(ref->hash, o->hash) == 0;
}

int
reference_adopt(struct reference *ref, const struct reference_options *o,
                const struct problem *p, struct report *r)
{
    ref->problem = p;
    ref->call_ms = o->call_ms > 0 ? o->call_ms : REFERENCE_CALL_MS;
    return reference_wake(ref, r) == 0 ? open_authors(ref, o, r) : -1;
}

pid_t
reference_pid(const struct reference *ref)
{
    return runner_link_pid(ref->runner);
}

/* --- answers --------------------------------------------------------------- */

/* Does the text name CUDA's error for too little memory? The exceptions of CUDA's
 * libraries print these names, too. */
static bool
names_memory(const char *text)
{
    return strstr(text, "cudaErrorMemoryAllocation") != NULL ||
           strstr(text, "CUDA_ERROR_OUT_OF_MEMORY") != NULL;
}

static int
explain_reference_failure(struct reference *ref, const struct test_case *t,
                          const char *what, struct report *r)
{
    char *sizes = problem_sizes_text(ref->problem, t);
    const struct buf *said = runner_link_output(ref->runner);

    ref->failed = ref->has_failed = true;
    ref->short_of_memory =
        ref->short_of_memory || names_memory(what) || names_memory(buf_str(said));
    report_fail(r, "the reference of %s %s (%s)%s%.500s", ref->problem->slug, what, sizes,
                said->len > 0 ? ": " : "", buf_str(said));
    free(sizes);
    return -1;
}

static int
check_event(struct reference *ref, const struct test_case *t, enum runner_event event,
            const struct runner_reply *reply, struct report *r)
{
    char what[RUNNER_TEXT_MAX + 80], how[80];
    struct runner_exit ended;

    switch (event) {
    case RUNNER_ANSWERED:
        if (reply->status == 0)
            return 0;
        if (reply->status == RUNNER_UNLOADABLE)
            snprintf(what, sizeof what, "cannot be loaded: %s", reply->text);
        else
            snprintf(what, sizeof what, "failed with error %d (%s)", reply->status,
                     reply->text);
        ref->short_of_memory = reply->status == STATUS_OUT_OF_MEMORY;
        return explain_reference_failure(ref, t, what, r);
    case RUNNER_ENDED:
        runner_link_stop(ref->runner, &ended);
        ref->ended = true;
        explain_author_end(ended.end == SANDBOX_SIGNALED, ended.code, how, sizeof how);
        snprintf(what, sizeof what, "was ended by %s", how);
        return explain_reference_failure(ref, t, what, r);
    case RUNNER_LATE:
        snprintf(what, sizeof what, "takes more than %d s", ref->call_ms / 1000);
        return explain_reference_failure(ref, t, what, r);
    case RUNNER_STARVED:
        return explain_reference_failure(ref, t,
                                         "got next to no time of this machine's CPUs", r);
    case RUNNER_LIED:
        return explain_reference_failure(ref, t, "broke the protocol", r);
    case RUNNER_FLOODED:
        return explain_reference_failure(ref, t, "prints too much", r);
    }
    return explain_reference_failure(ref, t, "failed", r);
}

/* Fills the rest of the page behind each buffer with random bytes. If there are others
 * after the call, check_fence says where. Nothing else would show that a reference in C
 * writes out of bounds. */
static void
raise_fence(struct reference *ref, const struct call_set *s)
{
    for (int i = 0; ref->fence != NULL && i < s->problem->param_count; i++) {
        size_t bytes = 0;
        void *slack = s->buffer[i] != NULL ? device_slack(s->buffer[i], &bytes) : NULL;

        if (slack == NULL)
            continue;
        if (!ref->held)
            random_bytes(ref->fence[i], sizeof ref->fence[i]);
        memcpy(slack, ref->fence[i], bytes);
    }
}

static int
check_fence(struct reference *ref, const struct call_set *s, struct report *r)
{
    for (int i = 0; ref->fence != NULL && i < s->problem->param_count; i++) {
        char what[160];
        size_t bytes = 0;
        const void *slack =
            s->buffer[i] != NULL ? device_slack(s->buffer[i], &bytes) : NULL;

        if (slack == NULL || memcmp(slack, ref->fence[i], bytes) == 0)
            continue;
        snprintf(what, sizeof what, "writes behind the last element of %.80s",
                 s->problem->param[i].name);
        ref->broke_fence = true;
        return explain_reference_failure(ref, s->test, what, r);
    }
    return 0;
}

static int
run_reference(struct reference *ref, struct call_set *s, struct report *r)
{
    struct runner_limit limit;
    enum runner_event event;
    struct runner_reply reply = {0};

    if (call_set_arm(s, ref->runner, ref->attached != s, REFERENCE_START_MS, &event,
                     &reply, r) != 0)
        return -1;
    ref->attached = s;
    if (check_event(ref, s->test, event, &reply, r) != 0)
        return -1;
    raise_fence(ref, s);
    limit = runner_limit_used(ref->runner, (uint64_t)ref->call_ms);
    event = call_set_release(ref->runner);
    if (event == RUNNER_ANSWERED)
        event = runner_link_await(ref->runner, RUNNER_DONE, &limit, &reply);
    if (check_event(ref, s->test, event, &reply, r) != 0)
        return -1;
    return check_fence(ref, s, r);
}

int
reference_reserve(struct reference *ref, const struct test_case *t, struct report *r)
{
    struct call_set set;

    if (call_set_alloc(&set, ref->device, ref->problem, t, true, r) != 0)
        return -1;
    call_set_free(&set);
    return 0;
}

/* Copies an answer from the host to the submission's device. */
static int
move_answer(struct answer *a, struct device *target, struct report *r)
{
    const struct call_set *from = &a->ran;

    if (a->moved.problem == NULL &&
        call_set_alloc(&a->moved, target, from->problem, from->test, false, r) != 0)
        return -1;
    for (int i = 0; i < from->problem->param_count; i++) {
        if (from->buffer[i] != NULL &&
            device_write(target, a->moved.buffer[i], 0, from->extent[i].bytes,
                         device_view(from->buffer[i]), r) != 0)
            return -1;
        if (from->start[i] != NULL &&
            call_set_keep_start(&a->moved, i, device_view(from->start[i]), r) != 0)
            return -1;
    }
    return 0;
}

bool
reference_failed(const struct reference *ref)
{
    return ref->failed;
}

bool
reference_ended(const struct reference *ref)
{
    return ref->ended;
}

bool
reference_broke_fence(const struct reference *ref)
{
    return ref->broke_fence;
}

bool
reference_was_short(const struct reference *ref)
{
    return ref->short_of_memory;
}

int
reference_fill(struct reference *ref, struct call_set *set, uint64_t seed,
               struct report *r)
{
    if (inputs_fill(ref->inputs, set, seed, r) == 0)
        return 0;
    ref->failed = ref->inputs != NULL;
    return -1;
}

int
reference_answer(struct reference *ref, const struct test_case *t, uint64_t seed,
                 struct answer *a, struct report *r)
{
    return reference_answer_changed(ref, t, seed, NULL, NULL, a, r);
}

static void
begin_answer(struct reference *ref, const struct test_case *t, uint64_t seed)
{
    ref->test = t;
    ref->seed = seed;
    ref->failed = ref->ended = ref->broke_fence = ref->short_of_memory = false;
    if (!ref->held)
        random_bytes(&ref->poison_seed, sizeof ref->poison_seed);
}

/* Can answers be made in ref->work and copied out of it? The reference must compute in a
 * context of its own on the submission's GPU. */
static bool
has_work(const struct reference *ref)
{
    bool device_memory = ref->problem->gpus <= 1 && ref->device == ref->target &&
                         !device_clock_modelled(ref->target) && ref->fence == NULL;

    for (int i = 0; i < ref->problem->param_count; i++)
        device_memory =
            device_memory && ref->problem->param[i].space != SPACE_HOST_PINNED;
    return device_memory;
}

/* Makes ref->work a set for this test. */
static int
take_work(struct reference *ref, const struct test_case *t, struct report *r)
{
    if (ref->work.problem != NULL && call_set_reuse(&ref->work, t))
        return 0;
    if (ref->attached == &ref->work)
        ref->attached = NULL;
    call_set_free(&ref->work);
    return call_set_alloc(&ref->work, ref->device, ref->problem, t, true, r);
}

int
reference_answer_kept(struct reference *ref, const struct test_case *t, uint64_t seed,
                      struct answer *a, struct report *r)
{
    if (!has_work(ref))
        return reference_answer(ref, t, seed, a, r);
    begin_answer(ref, t, seed);
    if (take_work(ref, t, r) != 0 || reference_fill(ref, &ref->work, seed, r) != 0 ||
        call_set_start_outputs(&ref->work, ref->poison_seed, r) != 0 ||
        run_reference(ref, &ref->work, r) != 0 ||
        call_set_alloc(&a->moved, ref->target, ref->problem, t, false, r) != 0 ||
        call_set_copy(&a->moved, &ref->work, r) != 0)
        return -1;
    a->seed = seed;
    a->checker = ref->checker;
    a->known = &a->moved;
    return 0;
}

int
reference_answer_changed(struct reference *ref, const struct test_case *t, uint64_t seed,
                         reference_change_fn *change, void *context, struct answer *a,
                         struct report *r)
{
    begin_answer(ref, t, seed);
    if (a->ran.problem == NULL) {
        if (call_set_alloc(&a->ran, ref->device, ref->problem, t, true, r) != 0)
            return -1;
        ref->attached = NULL; /* a freed set may have had the same address */
    }
    if (reference_fill(ref, &a->ran, seed, r) != 0)
        return -1;
    if ((change != NULL && change(context, &a->ran, r) != 0) ||
        call_set_start_outputs(&a->ran, ref->poison_seed, r) != 0 ||
        run_reference(ref, &a->ran, r) != 0)
        return -1;
    a->seed = seed;
    a->checker = ref->checker;
    a->known = &a->ran;
    if (!device_shares_memory(ref->device, ref->target)) {
        if (move_answer(a, ref->target, r) != 0)
            return -1;
        a->known = &a->moved;
    }
    return 0;
}

void
reference_hold_memory(struct reference *ref, bool hold)
{
    ref->held = hold;
}

void
reference_change_memory(struct reference *ref, int buffer)
{
    if (buffer == REFERENCE_OUTPUTS)
        random_bytes(&ref->poison_seed, sizeof ref->poison_seed);
    else if (ref->fence != NULL)
        random_bytes(ref->fence[buffer], sizeof ref->fence[buffer]);
}

int
reference_try_again(struct reference *ref, struct report *r)
{
    struct answer again = {0};
    int rc = -1;

    reference_stop(ref);
    if (start_reference_runner(ref, r) == 0)
        rc = reference_answer(ref, ref->test, ref->seed, &again, r);
    answer_free(&again);
    ref->attached = NULL;
    return rc;
}

void
answer_free(struct answer *a)
{
    call_set_free(&a->ran);
    call_set_free(&a->moved);
    *a = (struct answer){0};
}
