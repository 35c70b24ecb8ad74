#include "arbiter/profiling/device_sanitize.h"

#include "arbiter/judging/call_costs.h"
#include "arbiter/judging/notices.h"
#include "arbiter/profiling/call_files.h"
#include "arbiter/profiling/nvidia_tools.h"
#include "arbiter/profiling/sanitizer_text.h"
#include "base/file.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#define TOOL_MS UINT64_C(40000)
#define PRINTED_KEEP ((size_t)1 << 20)
#define NOTICES_OF_TOOL 8

struct sanitize_work {
    struct judgement *j;
    char *call;
    struct nvidia_tool tool;
    cJSON *told; /* what each tool has found */
};

/* Adds the notices of a tool, one of each pair of lines. */
static void
add_notices(struct judgement *j, const char *printed, const char *tool,
            enum fault_kind kind)
{
    struct fault f;

    for (int n = 0; n < NOTICES_OF_TOOL && sanitizer_text_next(&printed, tool, kind, &f);)
        n += notices_add_fault(j, &f);
}

static void
tell(struct sanitize_work *w, const char *tool, const struct buf *printed,
     const struct report *ended)
{
    const long errors = sanitizer_text_errors(buf_str(printed));
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "tool", tool);
    if (report_is_set(ended))
        cJSON_AddStringToObject(o, "failed", ended->text);
    else if (errors < 0)
        cJSON_AddStringToObject(o, "failed",
                                "it did not come to an end: the GPU may not let it look");
    else
        cJSON_AddNumberToObject(o, "errors", (double)errors);
    cJSON_AddItemToArray(w->told, o);
}

static int
run_tool(struct sanitize_work *w, const char *name, enum fault_kind kind,
         struct report *r)
{
    /* A trace of the host's functions for each error takes longer than all the rest. */
    const char *const argv[] = {"compute-sanitizer",
                                "--tool",
                                name,
                                "--show-backtrace",
                                "no",
                                "--print-limit",
                                "100",
                                TOOLS_RUNNER,
                                "alone",
                                TOOLS_CALL,
                                NULL};
    const struct tool_run run = {.tool = &w->tool,
                                 .argv = argv,
                                 .call = w->call,
                                 .limit_ms = TOOL_MS,
                                 .keep_bytes = PRINTED_KEEP};
    struct buf printed = {0};
    struct report ended = {0};
    int code = 0;
    const int rc = nvidia_tool_run(w->j, &run, &printed, &code, &ended, r);

    if (rc >= 0) {
        add_notices(w->j, buf_str(&printed), name, kind);
        tell(w, name, &printed, &ended);
    }
    buf_free(&printed);
    return rc < 0 ? -1 : 0;
}

static int
run_tools(struct sanitize_work *w, struct report *r)
{
    static const struct {
        const char *name;
        enum fault_kind kind;
    } tools[] = {
#define X(name, kind) {name, kind},
        SANITIZERS(X)
#undef X
    };

    if (call_files_write(w->j, &w->j->problem->benchmark_emu, w->call, r) != 0)
        return -1;
    reference_stop(w->j->reference); /* it may hold memory of the GPU */
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (run_tool(w, tools[i].name, tools[i].kind, r) != 0)
            return -1;
    return 0;
}

/* Why the tools cannot be run here; NULL: they can. */
static const char *
find_tool(struct sanitize_work *w)
{
    struct judgement *j = w->j;

    if (j->problem->gpus > 1)
        return "compute-sanitizer is not run for problems for two GPUs";
    if (j->job.insecure)
        return "a judge without a sandbox (--insecure-no-sandbox) does not run "
               "compute-sanitizer";
    if (j->config.cuda_root == NULL)
        config_find_toolkit(&j->config);
    if (j->config.cuda_root == NULL ||
        !nvidia_tools_find_sanitizer(j->config.cuda_root, &w->tool))
        return "compute-sanitizer is not in the CUDA Toolkit's folder: an admin installs "
               "it (the package cuda-sanitizer)";
    return NULL;
}

int
device_sanitize_run(struct judgement *j, struct report *r)
{
    struct sanitize_work w = {.j = j,
                              .call = xasprintf("%s/sanitize-call", j->folder),
                              .told = cJSON_CreateArray()};
    char *sizes = problem_sizes_text(j->problem, &j->problem->benchmark_emu);
    const char *failed;
    int rc = 0;

    judgement_stop_runner(j);
    failed = find_tool(&w);
    if (failed != NULL)
        costs_failed(j, sizes, failed);
    else
        rc = run_tools(&w, r);
    if (failed == NULL && rc == 0)
        costs_tell_sanitizers(j, sizes, w.told);
    else
        cJSON_Delete(w.told);
    file_remove_tree(w.call, NULL); /* else it goes with the job's folder */
    nvidia_tool_free(&w.tool);
    free(w.call);
    free(sizes);
    return rc;
}
