/* Prepares a judgement before the "go": opens the device, computes the reference's
 * answers, and starts the submission's runner, in which it calls the empty solve(). */
#include "arbiter/phases.h"

#include "arbiter/calling/gpu_lock.h"
#include "arbiter/judging/own_answer.h"
#include "arbiter/judging/progress.h"
#include "arbiter/judging/trial.h"
#include "arbiter/measuring/capacity.h"
#include "base/file.h"
#include "base/toolkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many warp instructions one launch on emu may execute. A naive kernel needs 100
 * million for the largest test of LeetGPU's problems, which is a transformer block
 * with 1.3 GFLOP in one product. Such a kernel needs some 10 million for the
 * emulator's benchmarks. A kernel that leaves half of its lanes idle needs twice as
 * many. The budget is seconds of work. So a kernel that never ends is mostly stopped
 * by a count that is the same on every machine, before any clock stops it. */
#define EMU_INSTRUCTION_BUDGET UINT64_C(400000000)

/* The address space of a submission's runner on emu, which bounds its host memory. On a
 * GPU the driver reserves hundreds of GB of addresses, so no such limit can be set. */
#define EMU_ADDRESS_SPACE SANDBOX_ADDRESS_SPACE_MAX

/* How often it is looked whether contexts are there, while a step is waited for. */
#define STEP_LOOK_NS UINT64_C(2000000)

static int
read_kind(const char *folder, char out[8], struct report *r)
{
    char *path = xasprintf("%s/reference.kind", folder);
    struct buf text = {0};
    int rc = file_read(path, 7, &text, r);

    if (rc == 0) {
        memcpy(out, buf_str(&text), text.len + 1);
        out[strcspn(out, "\n")] = '\0';
    }
    buf_free(&text);
    free(path);
    return rc;
}

static struct device_options
options_of(const struct judgement *j)
{
    return (struct device_options){
        .gpu_program = j->gpu_program,
        .checks = true,
        .insecure = j->job.insecure,
        .instruction_budget = EMU_INSTRUCTION_BUDGET,
        .memory_limit = j->problem->memory_limit,
        .gpus = j->problem->gpus,
        .partner = j->job.partner,
    };
}

/* Opens the lock between the arbiters of one GPU. Without a lock nothing is prepared
 * beside another judgement, which is a failure only with `ahead`. On emu there is no
 * lock: CPUs are short there, and preparing beside a judgement gains nothing. */
static int
open_gpu_lock(struct judgement *j, struct report *r)
{
    struct report why = {0};

    if (strcmp(j->job.device, "emu") == 0 || j->job.partner != NULL)
        return j->ahead ? report_fail(r, "nobody shares %s", j->job.device) : 0;
    if (gpu_lock_open(j->config.home, j->job.device, j->ahead, &j->gpu_lock, &why) == 0)
        return 0;
    if (j->ahead)
        return report_fail(r, "%s", why.text);
    fprintf(stderr, "no other is prepared beside this one: %s\n", why.text);
    return 0;
}

/* Beside another judgement everything that touches the GPU is a step of the GPU lock, but
 * for the making of contexts. Contexts are begun with the device or the reference, and
 * end as soon as the runner has its own. Both may be told more than once. */
static void
begin_contexts(struct judgement *j)
{
    gpu_lock_enter_context(j->gpu_lock);
}

static int
end_contexts(struct judgement *j, int rc)
{
    gpu_lock_leave_context(j->gpu_lock,
                           j->device != NULL ? device_own_bytes(j->device) : 0);
    return rc;
}

static void
enter_step(struct judgement *j)
{
    bool inside;

    do {
        inside = gpu_lock_enter_within(j->gpu_lock, STEP_LOOK_NS);
        if (j->is_asked && runner_link_has_answer(j->runner))
            (void)end_contexts(j, 0);
    } while (!inside);
}

static int
leave_step(struct judgement *j, int rc)
{
    gpu_lock_leave(j->gpu_lock, j->device != NULL ? device_own_bytes(j->device) : 0);
    return rc;
}

static int
open_judgement_device(struct judgement *j, struct report *r)
{
    const struct device_options options = options_of(j);

    begin_contexts(j);
    j->device = stock_take(j->stock, &j->job);
    if (j->device == NULL)
        j->device = device_open(j->job.device, &options, r);
    if (j->device == NULL)
        return -1;
    return j->ahead && !capacity_beside(j->problem, j->device)
               ? report_fail(r, "its buffers are too large to be made beside another's")
               : 0;
}

/* Takes the reference that an arbiter that stays has kept. If there is none, or it does
 * not come up any more, a new one is started. */
static int
start_reference(struct judgement *j, const struct reference_options *o, struct report *r)
{
    struct report why = {0};

    j->reference = stock_take_reference(j->stock, o, j->device);
    if (j->reference != NULL && reference_adopt(j->reference, o, j->problem, &why) == 0)
        return 0;
    if (j->reference != NULL)
        fprintf(stderr, "the reference is started again: %s\n", why.text);
    reference_close(j->reference);
    j->reference = NULL;
    return reference_open(o, j->problem, j->device, &j->reference, r);
}

static int
open_judgement_reference(struct judgement *j, struct report *r)
{
    char kind[8], hash[65] = "";
    const struct reference_options options = {.device_options = options_of(j),
                                              .folder = j->folder,
                                              .kind = kind,
                                              .runner_program = j->runner_program,
                                              .hash = hash,
                                              .call_ms =
                                                  j->own != NULL ? OWN_ANSWER_MS : 0};
    int rc;

    if (read_kind(j->folder, kind, r) != 0 ||
        (j->stock != NULL && reference_hash(&options, j->device, hash, r) != 0))
        return -1;
    begin_contexts(j);
    rc = start_reference(j, &options, r);
    if (rc == 0 && j->ahead)
        rc = reference_wake(j->reference, r);
    return j->is_asked ? rc : end_contexts(j, rc); /* the runner may make one still */
}

/* Starts the runner with the submission's limits. Nothing of the submission is in it
 * yet. */
static int
start_runner(struct judgement *j, struct report *r)
{
    struct device_runner device;
    const struct runner_options options = {
        .program = j->runner_program,
        .device = &device,
        .insecure = j->job.insecure,
        .address_space_bytes = device_clock_modelled(j->device) ? EMU_ADDRESS_SPACE : 0,
        .hidden = j->hidden,
        .empty = j->empty,
    };

    if (device_runner(j->device, &device, r) != 0 ||
        runner_link_start(&options, &j->runner, r) != 0)
        return -1;
    j->is_asked = j->ahead; /* beside no other judgement nobody needs to know */
    if (j->is_asked)
        runner_link_ask(j->runner);
    return judgement_is_measured(j) ? runner_link_load(j->runner, j->null_object, r) : 0;
}

static int
call_empty_solve(struct judgement *j, struct report *r)
{
    struct call_set set = {0};
    const struct trial t = {
        .set = &set, .empty = true, .attach = true, .timed = true, .cpu = -1};
    struct trial_result result;
    int rc;

    if (call_set_alloc(&set, j->device, j->problem, &j->problem->test[0], true, r) != 0)
        return -1;
    rc = trial_run(j, &t, &result, r);
    call_set_free(&set);
    return rc;
}

static int
await_contexts(struct judgement *j, struct report *r)
{
    int rc = 0;

    if (j->is_asked)
        rc = runner_link_answer(j->runner, r);
    j->is_asked = false;
    return end_contexts(j, rc);
}

/* Makes one call of the empty solve() where calls will be timed. In it the runner makes
 * its context, and we make our flush buffer. Both happen while nvcc runs, and neither can
 * fail later for memory that the submission has used up. */
static int
wake_runner(struct judgement *j, struct report *r)
{
    int rc = 0;

    if (j->is_awake)
        return 0;
    if (judgement_is_measured(j)) {
        enter_step(j);
        rc = leave_step(j, call_empty_solve(j, r));
    }
    j->is_awake = rc == 0;
    return rc;
}

/* Returns 1 as soon as nobody wants the judgement any more. */
static int
make_answers(struct judgement *j, struct report *r)
{
    j->answer = xcalloc((size_t)j->problem->test_count, sizeof *j->answer);
    for (int i = 0; i < j->problem->test_count; i++) {
        const uint64_t seed = seeds_make(&j->seeds, SEED_TEST, i);
        int rc;

        if (!judgement_runs(j, i))
            continue;
        if (progress_is_unwanted())
            return 1;
        enter_step(j);
        rc = j->own != NULL ? own_answer(j, &j->answer[i], r)
                            : reference_answer_kept(j->reference, &j->problem->test[i],
                                                    seed, &j->answer[i], r);
        if (leave_step(j, rc) != 0)
            return -1;
    }
    return 0;
}

/* On emu, makes the benchmark's buffers and frees them, so that the pool has their pages
 * (reference_reserve). A GPU's allocations cost little, and are not kept when freed. */
static int
reserve_memory(struct judgement *j, struct report *r)
{
    const struct test_case *largest = &j->problem->benchmark_emu;
    struct call_set set = {0};
    int rc;

    if (!device_clock_modelled(j->device) || j->job.sample_tests_only)
        return 0;
    if (call_set_alloc(&set, j->device, j->problem, largest, true, r) != 0)
        return -1;
    rc = call_set_alloc_copies(&set, r);
    call_set_free(&set);
    return rc == 0 ? reference_reserve(j->reference, largest, r) : -1;
}

/* Makes the folder of the toolkit's libraries look empty for the submission, which could
 * else get by dlopen() what it was not linked with. A sandbox sees the folder only below
 * /usr. */
static int
hide_libraries(struct judgement *j, struct report *r)
{
    if (libraries_any_linked(j->problem->libraries))
        return 0;
    config_find_toolkit(&j->config);
    if (j->config.cuda_root != NULL)
        j->hidden = toolkit_libraries(j->config.cuda_root);
    if (j->hidden != NULL && strncmp(j->hidden, "/usr/", 5) != 0) {
        free(j->hidden);
        j->hidden = NULL;
    }
    if (j->hidden == NULL)
        return 0;
    j->empty = xasprintf("%s/empty", j->folder);
    return file_mkdirs(j->empty, r);
}

/* --- the three parts, in this order ---------------------------------------- */

/* Adds the time of one part to prepare_ns, and returns rc. The time for which the GPU
 * lock was waited for is left out; waited_ns is that time in all parts before. */
static int
count_time(struct judgement *j, uint64_t start_ns, uint64_t waited_ns, int rc)
{
    j->prepare_ns += now_ns() - start_ns - (gpu_lock_waited_ns(j->gpu_lock) - waited_ns);
    return rc;
}

static int
open_judgement(struct judgement *j, struct report *r)
{
    struct device_info info;

    if (config_load(&j->config, r) != 0 || job_read(j->folder, &j->job, r) != 0)
        return -1;
    /* The seed of a case of one's own is made from the number that its user chose. */
    seeds_open(&j->seeds,
               j->job.profile != PROFILE_NONE ? SEED_OF_PROFILES : j->job.seed);
    j->result.seed = xstrdup(j->seeds.secret);
    j->gpu_program = config_libexec(&j->config, "warpjudge-gpu");
    j->runner_program = config_libexec(&j->config, "warpjudge-runner");
    j->null_object = xasprintf("%s/null.so", j->config.lib);
    j->problem = problem_load(j->job.problems_dir, j->job.problem, r);
    if (j->problem == NULL || own_case_load(j, r) != 0 || hide_libraries(j, r) != 0 ||
        open_gpu_lock(j, r) != 0 || open_judgement_device(j, r) != 0)
        return -1;
    device_info(j->device, &info);
    j->result.board = xstrdup(info.board);
    /* The runner makes its context while the reference comes up. */
    return start_runner(j, r);
}

int
judgement_open(struct judgement *j, const char *folder, bool ahead, struct stock *stock,
               struct report *r)
{
    const uint64_t start_ns = now_ns();

    *j = (struct judgement){
        .folder = folder, .ahead = ahead, .stock = stock, .host = &host_linux};
    return count_time(j, start_ns, 0, open_judgement(j, r));
}

int
judgement_wake(struct judgement *j, struct report *r)
{
    const uint64_t start_ns = now_ns(), waited_ns = gpu_lock_waited_ns(j->gpu_lock);

    int rc = await_contexts(j, r);

    if (rc == 0)
        rc = wake_runner(j, r);
    return count_time(j, start_ns, waited_ns, rc);
}

int
judgement_prepare(struct judgement *j, struct report *r)
{
    const uint64_t start_ns = now_ns(), waited_ns = gpu_lock_waited_ns(j->gpu_lock);
    int rc = open_judgement_reference(j, r);

    if (rc == 0)
        rc = reserve_memory(j, r);
    if (rc == 0)
        rc = make_answers(j, r);
    if (rc == 0)
        rc = await_contexts(j, r);
    if (rc == 0)
        rc = wake_runner(j, r);
    return count_time(j, start_ns, waited_ns, rc);
}
