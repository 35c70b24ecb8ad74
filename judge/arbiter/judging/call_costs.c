#include "arbiter/judging/call_costs.h"

#include "arbiter/judging/trial.h"
#include "base/file.h"
#include "device/cost_json.h"
#include "emulator/emulator.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In a result. A line is about 700 bytes of JSON. A result tells the first COST_LINES
 * lines of a kernel, and a profile tells more of them. */
#define KERNELS_MAX 4
#define PROFILE_KERNELS_MAX 64
#define PROFILE_LINES_MAX 1024 /* of all kernels together */
#define SOURCE_MAX ((size_t)16 << 20)

int
costs_begin(struct judgement *j, struct counters *before, struct report *r)
{
    *before = (struct counters){0};
    if (!device_clock_modelled(j->device))
        return 0;
    return device_counters(j->device, before, r) < 0 ? -1
                                                     : device_costs_reset(j->device, r);
}

/* All members before modelled_ns are uint64_t. */
static void
subtract_counters(struct counters *c, const struct counters *before)
{
    uint64_t *to = (uint64_t *)c;
    const uint64_t *from = (const uint64_t *)before;

    for (size_t i = 0; i < offsetof(struct counters, modelled_ns) / sizeof *to; i++)
        to[i] -= from[i];
    c->modelled_ns -= before->modelled_ns;
    c->host_ns -= before->host_ns;
}

/* Adds the index-th costliest kernel with its lines. Returns 1, or 0 where there are not
 * so many kernels. *lines is how many have been told of all kernels. */
static int
add_kernel(struct judgement *j, cJSON *kernels, uint32_t index, const char *source,
           uint32_t *lines, struct report *r)
{
    struct kernel_cost cost;
    uint32_t told;
    cJSON *kernel;
    int rc = device_cost(j->device, index, 0, &cost, r);

    if (rc <= 0)
        return rc;
    kernel = cost_json_kernel(&cost, j->job.filename, source);
    cJSON_AddItemToArray(kernels, kernel);
    for (told = cost.line_count; j->job.profile != PROFILE_NONE && cost.lines_left > 0 &&
                                 cost.line_count > 0 && *lines + told < PROFILE_LINES_MAX;
         told += cost.line_count) {
        rc = device_cost(j->device, index, told, &cost, r);
        if (rc <= 0)
            return rc;
        cost_json_add_lines(kernel, &cost, j->job.filename, source);
    }
    *lines += told;
    return 1;
}

static int
add_kernels(struct judgement *j, cJSON *o, const char *source, struct report *r)
{
    const uint32_t most =
        j->job.profile != PROFILE_NONE ? PROFILE_KERNELS_MAX : KERNELS_MAX;
    cJSON *kernels = cJSON_AddArrayToObject(o, "kernels");
    uint32_t lines = 0;
    int rc = 1;

    for (uint32_t i = 0; i < most && rc > 0; i++)
        rc = add_kernel(j, kernels, i, source, &lines, r);
    return rc < 0 ? -1 : 0;
}

static void
put_counters(struct judgement *j, cJSON *o)
{
    free(j->result.counters);
    j->result.counters = cJSON_PrintUnformatted(o);
    if (j->result.counters == NULL)
        die(4, "out of memory");
}

int
costs_end(struct judgement *j, const struct counters *before, int calls,
          const char *sizes, struct report *r)
{
    char *path = xasprintf("%s/submission.cu", j->folder);
    struct buf source = {0};
    struct counters c;
    cJSON *o = cJSON_CreateObject();
    int rc = 0;

    if (device_clock_modelled(j->device)) {
        rc = device_counters(j->device, &c, r) < 0 ? -1 : 0;
        if (rc == 0) {
            subtract_counters(&c, before);
            cJSON_AddNumberToObject(o, "calls", calls);
            cJSON_AddStringToObject(o, "sizes", sizes);
            cost_json_counters(o, &c);
            cJSON_AddNumberToObject(o, "host_ns", c.host_ns);
        }
        if (rc == 0)
            rc = file_read(path, SOURCE_MAX, &source, r);
        if (rc == 0)
            rc = add_kernels(j, o, buf_str(&source), r);
        if (rc == 0)
            put_counters(j, o);
    }
    cJSON_Delete(o);
    buf_free(&source);
    free(path);
    return rc;
}

void
costs_failed(struct judgement *j, const char *sizes, const char *message)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "calls", 0);
    cJSON_AddStringToObject(o, "sizes", sizes);
    cJSON_AddStringToObject(o, "failed", message != NULL ? message : "");
    put_counters(j, o);
    cJSON_Delete(o);
}

int
costs_run(struct judgement *j, struct report *r)
{
    const struct test_case *test = &j->problem->benchmark_emu;
    char *sizes = problem_sizes_text(j->problem, test);
    char *where = xasprintf("a call at %s", sizes);
    struct call_set set = {0};
    struct answer answer = {0};
    const struct trial trial = {.set = &set,
                                .answer = &answer,
                                .where = where,
                                .benchmark = true,
                                .attach = true};
    struct trial_result result;
    struct outcome outcome = j->outcome;
    struct counters before;
    const uint64_t seed = seeds_make(&j->seeds, SEED_COSTS, 0);
    int rc = -1;

    j->outcome = (struct outcome){0};
    if (call_set_alloc(&set, j->device, j->problem, test, true, r) == 0 &&
        call_set_alloc_copies(&set, r) == 0 &&
        reference_answer(j->reference, test, seed, &answer, r) == 0 &&
        device_set_checks(j->device, false, r) == 0 && costs_begin(j, &before, r) == 0)
        rc = trial_run(j, &trial, &result, r);
    if (rc == 0 && j->outcome.verdict == VERDICT_ACCEPTED)
        rc = costs_end(j, &before, 1, sizes, r);
    else if (rc == 0)
        costs_failed(j, sizes, j->outcome.message);
    outcome_free(&j->outcome);
    j->outcome = outcome;
    answer_free(&answer);
    call_set_free(&set);
    free(where);
    free(sizes);
    return rc;
}

void
costs_tell_sanitizers(struct judgement *j, const char *sizes, cJSON *tools)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "calls", 1);
    cJSON_AddStringToObject(o, "sizes", sizes);
    cJSON_AddItemToObject(o, "sanitizers", tools);
    put_counters(j, o);
    cJSON_Delete(o);
}

void
costs_tell_kernels(struct judgement *j, const char *sizes, const char *measured_by,
                   cJSON *kernels)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "calls", 1);
    cJSON_AddStringToObject(o, "sizes", sizes);
    cJSON_AddStringToObject(o, "measured_by", measured_by);
    cJSON_AddItemToObject(o, "kernels", kernels);
    put_counters(j, o);
    cJSON_Delete(o);
}
