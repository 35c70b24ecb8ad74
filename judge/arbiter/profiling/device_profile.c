#include "arbiter/profiling/device_profile.h"

#include "arbiter/judging/call_costs.h"
#include "arbiter/profiling/call_files.h"
#include "arbiter/profiling/ncu_kernels.h"
#include "arbiter/profiling/ncu_refusal.h"
#include "arbiter/profiling/nvidia_tools.h"
#include "base/file.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROFILE_MS UINT64_C(150000)
#define READ_MS UINT64_C(60000)
#define PRINTED_KEEP ((size_t)64 << 10)
#define CSV_KEEP ((size_t)32 << 20)
#define REPORT_MAX                                                                       \
    ((size_t)8 << 20) /* result.json has 16 MiB, and base64 adds a third                 \
                       */
#define SOURCE_MAX ((size_t)16 << 20)

#define REPORT_NAME "profile.ncu-rep"

/* What the report holds: what is read here, and what ncu's own window shows of it. Of the
 * launches of a call the first are profiled, since ncu makes each some forty times. The
 * clocks stay as they are: setting them needs an admin, and touches others. */
static const char *const arguments[] = {"ncu",
                                        "--export",
                                        TOOLS_MADE,
                                        "--target-processes",
                                        "application-only",
                                        "--clock-control",
                                        "none",
                                        "--launch-count",
                                        "32",
                                        "--section",
                                        "SpeedOfLight",
                                        "--section",
                                        "LaunchStats",
                                        "--section",
                                        "Occupancy",
                                        "--section",
                                        "WarpStateStats",
                                        "--section",
                                        "SchedulerStats",
                                        "--section",
                                        "SourceCounters",
                                        "--section",
                                        "InstructionStats",
                                        "--section",
                                        "ComputeWorkloadAnalysis",
                                        "--section",
                                        "MemoryWorkloadAnalysis",
                                        "--section",
                                        "MemoryWorkloadAnalysis_Tables",
                                        "--section",
                                        "MemoryWorkloadAnalysis_Chart",
                                        "--metrics"};
enum { ARGUMENT_COUNT = sizeof arguments / sizeof *arguments };

struct profile_work {
    struct judgement *j;
    char *sizes, *call, *report;
    struct nvidia_tool ncu;
};

/* --- the call under ncu ---------------------------------------------------- */

static bool
has_report(const struct profile_work *w)
{
    struct stat st;

    return stat(w->report, &st) == 0 && st.st_size > 0;
}

/* The profiled program and the tool print to the same pipe. What it says matters only if
 * there is no report. */
static int
make_report(struct profile_work *w, struct report *r)
{
    const char *argv[ARGUMENT_COUNT + 5];
    const struct tool_run run = {.tool = &w->ncu,
                                 .argv = argv,
                                 .call = w->call,
                                 .report = w->report,
                                 .limit_ms = PROFILE_MS,
                                 .keep_bytes = PRINTED_KEEP};
    struct buf printed = {0}, why = {0};
    struct report ended = {0};
    struct buf metrics = {0};
    int code = 0, rc;

    ncu_kernels_metrics(&metrics);
    memcpy(argv, arguments, sizeof arguments);
    argv[ARGUMENT_COUNT] = buf_str(&metrics);
    argv[ARGUMENT_COUNT + 1] = TOOLS_RUNNER;
    argv[ARGUMENT_COUNT + 2] = "alone";
    argv[ARGUMENT_COUNT + 3] = TOOLS_CALL;
    argv[ARGUMENT_COUNT + 4] = NULL;
    rc = nvidia_tool_run(w->j, &run, &printed, &code, &ended, r);
    if (rc == 0 && !has_report(w)) {
        ncu_refusal_explain(buf_str(&printed), &why);
        rc = 1;
    } else if (rc > 0) {
        buf_printf(&why, "under Nsight Compute %s", ended.text);
    }
    if (rc > 0)
        costs_failed(w->j, w->sizes, buf_str(&why));
    buf_free(&metrics);
    buf_free(&printed);
    buf_free(&why);
    return rc;
}

/* --- what it says ---------------------------------------------------------- */

/* Has ncu print a page of the report as CSV, in a sandbox without a GPU. `page` ends with
 * NULL. The result is NULL after our failure, or with a sentence in `why`. */
static struct csv_table *
read_page(struct profile_work *w, const char *const *page, struct report *why,
          struct report *r)
{
    const char *argv[16] = {"ncu",           "--import", TOOLS_REPORT, "--csv",
                            "--print-units", "base",     "--page"};
    const struct tool_run run = {.tool = &w->ncu,
                                 .argv = argv,
                                 .report = w->report,
                                 .limit_ms = READ_MS,
                                 .keep_bytes = CSV_KEEP};
    struct csv_table *table = NULL;
    struct buf printed = {0};
    int n = 7, code = 0;

    while (*page != NULL)
        argv[n++] = *page++;
    if (nvidia_tool_run(w->j, &run, &printed, &code, why, r) == 0)
        table = csv_table_read(buf_str(&printed), printed.len);
    buf_free(&printed);
    return table;
}

static int
read_source(const struct judgement *j, struct buf *out, struct report *r)
{
    char *path = xasprintf("%s/submission.cu", j->folder);
    const int rc = file_read(path, SOURCE_MAX, out, r);

    free(path);
    return rc;
}

static void
put_json(char **to, cJSON *o)
{
    free(*to);
    *to = cJSON_PrintUnformatted(o);
    if (*to == NULL)
        die(4, "out of memory");
}

static int
tell_kernels(struct profile_work *w, struct report *r)
{
    static const char *const raw_page[] = {"raw", NULL};
    static const char *const source_page[] = {"source", "--print-source", "cuda,sass",
                                              NULL};
    struct report why = {0};
    struct csv_table *raw = read_page(w, raw_page, &why, r), *lines = NULL;
    struct buf source = {0};
    int rc = report_is_set(r) ? -1 : 0;

    if (rc == 0 && raw != NULL)
        lines = read_page(w, source_page, &(struct report){0}, r);
    if (report_is_set(r) || read_source(w->j, &source, r) != 0)
        rc = -1;
    if (rc == 0 && raw == NULL) {
        char *text = xasprintf("when Nsight Compute read its report, %s", why.text);

        costs_failed(w->j, w->sizes, text);
        free(text);
    } else if (rc == 0) {
        costs_tell_kernels(
            w->j, w->sizes, "Nsight Compute",
            ncu_kernels_read(raw, lines, w->j->job.filename, buf_str(&source)));
    }
    buf_free(&source);
    csv_table_free(raw);
    csv_table_free(lines);
    return rc;
}

/* Keeps the report as an array of bytes (arrays.h), unless it is too large. */
static int
keep_report(struct profile_work *w, struct report *r)
{
    struct buf bytes = {0};
    cJSON *list, *o;

    if (file_read(w->report, REPORT_MAX, &bytes, NULL) != 0)
        return 0;
    list = cJSON_CreateArray();
    o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "name", REPORT_NAME);
    cJSON_AddStringToObject(o, "part", "report");
    cJSON_AddStringToObject(o, "type", dtype_name(DTYPE_U8));
    cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "shape"),
                         cJSON_CreateNumber((double)bytes.len));
    json_add_bytes(o, "data", buf_str(&bytes), bytes.len);
    put_json(&w->j->result.arrays, list);
    cJSON_Delete(list);
    buf_free(&bytes);
    return report_is_set(r) ? -1 : 0;
}

/* --- all of it ------------------------------------------------------------- */

static int
run_profile(struct profile_work *w, struct report *r)
{
    struct judgement *j = w->j;
    int rc;

    if (j->problem->gpus > 1) {
        costs_failed(j, w->sizes,
                     "a profile of a problem for two GPUs is made on emu only");
        return 0;
    }
    if (j->job.insecure) {
        costs_failed(
            j, w->sizes,
            "a judge without a sandbox (--insecure-no-sandbox) makes profiles on "
            "emu only");
        return 0;
    }
    if (j->config.cuda_root == NULL ||
        !nvidia_tools_find_ncu(j->config.cuda_root, &w->ncu)) {
        costs_failed(j, w->sizes,
                     "Nsight Compute is not installed beside the CUDA Toolkit: an admin "
                     "installs it (the package cuda-nsight-compute)");
        return 0;
    }
    if (call_files_write(j, &j->problem->benchmark_cuda, w->call, r) != 0)
        return -1;
    reference_stop(j->reference); /* it may hold memory of the GPU */
    rc = make_report(w, r);
    if (rc == 0 && (tell_kernels(w, r) != 0 || keep_report(w, r) != 0))
        rc = -1;
    return rc < 0 ? -1 : 0;
}

int
device_profile_run(struct judgement *j, struct report *r)
{
    struct profile_work w = {
        .j = j,
        .sizes = problem_sizes_text(j->problem, &j->problem->benchmark_cuda),
        .call = xasprintf("%s/profile-call", j->folder),
        .report = xasprintf("%s/" REPORT_NAME, j->folder),
    };
    int rc;

    judgement_stop_runner(j);
    if (j->config.cuda_root == NULL)
        config_find_toolkit(&j->config);
    rc = run_profile(&w, r);
    file_remove_tree(w.call, NULL); /* else it goes with the job's folder */
    nvidia_tool_free(&w.ncu);
    free(w.sizes);
    free(w.call);
    free(w.report);
    return rc;
}
