/*
 * From the metrics of Nsight Compute to struct kernel_cost, so that a GPU's profile has
 * the words of an emulated GPU's. What the metrics mean is in NVIDIA's "Kernel Profiling
 * Guide".
 *
 * Of a unit ncu says how busy it was, in percent of its peak. The part of the time that
 * the unit would have taken alone follows from that. What the busiest unit leaves is
 * latency.
 */
#include "arbiter/profiling/ncu_kernels.h"

#include "arbiter/profiling/ncu_lines.h"
#include "base/buf.h"
#include "device/cost_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS_MAX 64
#define LINES_TOLD 1024 /* of all kernels together */
#define COUNT_MAX 9e15  /* JSON has whole numbers up to there */
#define HEAD_ROWS 2     /* the names, then the units */
#define SUM_MAX 4

#define CONFLICTS "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
#define L2_SECTORS "lts__t_sectors_srcunit_tex.sum"
#define L2_MISSED "lts__t_sectors_srcunit_tex_lookup_miss.sum"
#define INSTRUCTIONS "smsp__inst_executed.sum"
#define SHARED_WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
#define WARPS_OF_SM "sm__maximum_warps_avg_per_active_cycle"
#define ACHIEVED_WARPS "sm__warps_active.avg.per_cycle_active"
#define DURATION "gpu__time_duration.sum"

/* A count is the sum of these metrics. */
struct counted {
    size_t offset;                   /* in struct counters */
    const char *metric[SUM_MAX + 1]; /* NULL-terminated */
};

#define COUNT(name, ...)                                                                 \
    {                                                                                    \
        .offset = offsetof(struct counters, name), .metric = { __VA_ARGS__ }             \
    }
#define GLOBAL(what, op) "l1tex__t_" what "_pipe_lsu_mem_global_op_" op ".sum"

static const struct counted counted[] = {
    COUNT(warp_instructions, INSTRUCTIONS),
    COUNT(thread_instructions, "smsp__thread_inst_executed.sum"),
    COUNT(issue_slots, "smsp__inst_issued.sum"),
    COUNT(global_requests, GLOBAL("requests", "ld"), GLOBAL("requests", "st"),
          GLOBAL("requests", "red"), GLOBAL("requests", "atom")),
    COUNT(global_sectors, GLOBAL("sectors", "ld"), GLOBAL("sectors", "st"),
          GLOBAL("sectors", "red"), GLOBAL("sectors", "atom")),
    COUNT(l1_missed_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
          GLOBAL("sectors", "st"), GLOBAL("sectors", "red"), GLOBAL("sectors", "atom")),
    COUNT(global_load_bytes, "smsp__sass_data_bytes_mem_global_op_ld.sum"),
    COUNT(global_store_bytes, "smsp__sass_data_bytes_mem_global_op_st.sum"),
    COUNT(shared_requests, "smsp__sass_inst_executed_op_shared.sum"),
    COUNT(shared_wavefronts, SHARED_WAVEFRONTS),
    COUNT(atomic_requests, GLOBAL("requests", "red"), GLOBAL("requests", "atom")),
    COUNT(atomic_sectors, GLOBAL("sectors", "red"), GLOBAL("sectors", "atom")),
    COUNT(divergent_branches, "smsp__sass_branch_targets_threads_divergent.sum"),
};

/* How busy the units were. Of several metrics of one bound the largest counts. */
static const struct {
    enum cost_bound bound;
    const char *metric;
} units[] = {
    {COST_ISSUE, "sm__inst_issued.avg.pct_of_peak_sustained_elapsed"},
    {COST_FP32, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed"},
    {COST_FP64, "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed"},
    {COST_FP16, "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed"},
    {COST_INT, "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_elapsed"},
    {COST_SFU, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"},
    {COST_TENSOR, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {COST_L1, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"},
    {COST_L2, "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
    {COST_DRAM, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
};

static const char *const state_words[] = {
#define X(name, column, words) words,
    NCU_STATES(X)
#undef X
};
static const char *const state_metrics[] = {
#define X(name, column, words)                                                           \
    "smsp__average_warps_issue_stalled_" name "_per_issue_active.ratio",
    NCU_STATES(X)
#undef X
};
#define STATE_COUNT (sizeof state_words / sizeof *state_words)

/* All launches of one kernel. */
struct profiled {
    struct kernel_cost cost;
    double achieved_ns;        /* achieved warps times nanoseconds */
    double state[STATE_COUNT]; /* cycles an instruction times instructions */
    double l2_sectors, l2_missed;
};

struct profile {
    const struct csv_table *raw;
    struct profiled kernel[KERNELS_MAX];
    size_t count;
};

/* --- what ncu is asked for ------------------------------------------------- */

static void
add_metric(struct buf *out, const char *name)
{
    if (strstr(buf_str(out), name) == NULL)
        buf_printf(out, "%s%s", out->len > 0 ? "," : "", name);
}

void
ncu_kernels_metrics(struct buf *out)
{
    static const char *const others[] = {DURATION,  CONFLICTS,      L2_SECTORS,
                                         L2_MISSED, ACHIEVED_WARPS, WARPS_OF_SM};

    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        for (const char *const *name = counted[i].metric; *name != NULL; name++)
            add_metric(out, *name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        add_metric(out, units[i].metric);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_metric(out, others[i]);
    for (size_t i = 0; i < STATE_COUNT; i++)
        add_metric(out, state_metrics[i]);
}

/* --- reading --------------------------------------------------------------- */

static double
metric(const struct csv_table *raw, size_t row, const char *name)
{
    size_t column = 0;

    return csv_table_find(raw, 0, name, &column) ? csv_table_number(raw, row, column)
                                                 : NAN;
}

static double
amount(double value)
{
    return !(value > 0) ? 0 : value < COUNT_MAX ? value : COUNT_MAX;
}

static uint64_t
count_of(const struct csv_table *raw, size_t row, const char *name)
{
    return (uint64_t)llround(amount(metric(raw, row, name)));
}

static uint32_t
small_count(const struct csv_table *raw, size_t row, const char *name)
{
    const uint64_t n = count_of(raw, row, name);

    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The kernel that this row is a launch of, which is added if it is new. NULL: there are
 * too many. */
static struct profiled *
find_kernel(struct profile *p, size_t row)
{
    size_t column = 0;
    struct profiled *k = NULL;
    char *name;

    if (!csv_table_find(p->raw, 0, "Kernel Name", &column))
        return NULL;
    name = ncu_kernel_name(csv_table_cell(p->raw, row, column));
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->kernel[i].cost.name, name) == 0)
            k = &p->kernel[i];
    if (k == NULL && p->count < KERNELS_MAX) {
        k = &p->kernel[p->count++];
        snprintf(k->cost.name, sizeof k->cost.name, "%s", name);
    }
    free(name);
    return k;
}

/* --- one launch ------------------------------------------------------------ */

static void
add_counts(struct counters *c, const struct csv_table *raw, size_t row)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        uint64_t *to = (uint64_t *)((char *)c + counted[i].offset);

        for (const char *const *name = counted[i].metric; *name != NULL; name++)
            *to += count_of(raw, row, *name);
    }
    c->launches++;
}

/* The wavefronts that would do without bank conflicts are those that there were, less
 * those that ncu calls conflicts. */
static void
add_ideal(struct counters *c, const struct csv_table *raw, size_t row)
{
    const double all = amount(metric(raw, row, SHARED_WAVEFRONTS));
    const double conflicts = amount(metric(raw, row, CONFLICTS));

    c->shared_ideal += (uint64_t)llround(all > conflicts ? all - conflicts : 0);
}

static void
add_bounds(struct kernel_cost *k, const struct csv_table *raw, size_t row, double ns)
{
    double busy[COST_BOUND_COUNT] = {0}, most = 0;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const double share = amount(metric(raw, row, units[i].metric)) / 100;

        busy[units[i].bound] = fmax(busy[units[i].bound], fmin(share, 1));
        most = fmax(most, busy[units[i].bound]);
    }
    busy[COST_LATENCY] = 1 - most;
    for (int i = 0; i < COST_BOUND_COUNT; i++)
        k->bound_ns[i] += busy[i] * ns;
}

/* Takes the shape of the launch, and what limits the blocks of an SM. */
static void
take_shape(struct kernel_cost *k, const struct csv_table *raw, size_t row)
{
    const uint32_t threads = small_count(raw, row, "launch__block_size");
    const uint64_t blocks = count_of(raw, row, "launch__grid_size");
    uint32_t *limit = k->limit_blocks;

    k->blocks += blocks;
    k->warps += blocks * ((threads + 31) / 32);
    k->threads_per_block = threads;
    k->registers = small_count(raw, row, "launch__registers_per_thread");
    k->shared_bytes = small_count(raw, row, "launch__shared_mem_per_block_static") +
                      small_count(raw, row, "launch__shared_mem_per_block_dynamic");
    limit[OCCUPANCY_BLOCKS] = small_count(raw, row, "launch__occupancy_limit_blocks");
    limit[OCCUPANCY_THREADS] = small_count(raw, row, "launch__occupancy_limit_warps");
    limit[OCCUPANCY_REGISTERS] =
        small_count(raw, row, "launch__occupancy_limit_registers");
    limit[OCCUPANCY_SHARED] = small_count(raw, row, "launch__occupancy_limit_shared_mem");
    k->blocks_per_sm = UINT32_MAX;
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limit[i] < k->blocks_per_sm)
            k->blocks_per_sm = limit[i];
    k->warps_of_sm = small_count(raw, row, WARPS_OF_SM);
}

static void
add_launch(struct profile *p, size_t row)
{
    struct profiled *k = find_kernel(p, row);
    const double ns = amount(metric(p->raw, row, DURATION));
    const double instructions = amount(metric(p->raw, row, INSTRUCTIONS));

    if (k == NULL)
        return;
    k->cost.ns += ns;
    add_counts(&k->cost.counters, p->raw, row);
    add_ideal(&k->cost.counters, p->raw, row);
    add_bounds(&k->cost, p->raw, row, ns);
    take_shape(&k->cost, p->raw, row);
    k->achieved_ns += amount(metric(p->raw, row, ACHIEVED_WARPS)) * ns;
    for (size_t i = 0; i < STATE_COUNT; i++)
        k->state[i] += amount(metric(p->raw, row, state_metrics[i])) * instructions;
    k->l2_sectors += amount(metric(p->raw, row, L2_SECTORS));
    k->l2_missed += amount(metric(p->raw, row, L2_MISSED));
}

/* --- JSON ------------------------------------------------------------------ */

/* Removes the counts that no metric tells. */
static void
drop_unknown(cJSON *o)
{
    static const char *const unknown[] = {
        "fp32_flops",   "fp64_flops", "fp16_flops",    "int_ops",    "sfu_ops",
        "tensor_flops", "host_bytes", "atomic_serial", "path_loads", "atomic_hottest",
        "barriers",     "copies",     "path_cycles"};

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        cJSON_DeleteItemFromObjectCaseSensitive(o, unknown[i]);
}

/* Adds the states of warps, the longest first. */
static void
add_states(cJSON *to, const struct profiled *k)
{
    const double instructions = (double)k->cost.counters.warp_instructions;
    bool told[STATE_COUNT] = {false};

    for (size_t n = 0; n < STATE_COUNT && instructions > 0; n++) {
        size_t most = STATE_COUNT;

        for (size_t i = 0; i < STATE_COUNT; i++)
            if (!told[i] && (most == STATE_COUNT || k->state[i] > k->state[most]))
                most = i;
        told[most] = true;
        if (k->state[most] > 0)
            cJSON_AddNumberToObject(to, state_words[most], k->state[most] / instructions);
    }
}

static cJSON *
kernel_json(const struct profiled *k, const char *filename, const char *text)
{
    cJSON *o = cost_json_kernel(&k->cost, filename, text);

    drop_unknown(o);
    cJSON_AddNumberToObject(o, "l2_sectors", k->l2_sectors);
    cJSON_AddNumberToObject(o, "l2_missed_sectors", k->l2_missed);
    if (k->cost.ns > 0)
        cJSON_AddNumberToObject(cJSON_GetObjectItemCaseSensitive(o, "occupancy"),
                                "achieved_warps", k->achieved_ns / k->cost.ns);
    add_states(cJSON_AddObjectToObject(o, "warp_states"), k);
    return o;
}

/* Removes the counts of a line that only the advice about it needs. Where its warps
 * mostly wait, that is what there is to say of it, unless something is to be mended. */
static void
finish_line(cJSON *line, const struct ncu_line *l)
{
    const cJSON *topic = cJSON_GetObjectItemCaseSensitive(line, "topic");

    drop_unknown(line);
    cJSON_DeleteItemFromObjectCaseSensitive(line, "l1_missed_sectors");
    cJSON_DeleteItemFromObjectCaseSensitive(line, "global_load_bytes");
    cJSON_DeleteItemFromObjectCaseSensitive(line, "global_store_bytes");
    cJSON_DeleteItemFromObjectCaseSensitive(line, "atomic_sectors");
    if (l->waits_share > 0 && cJSON_IsString(topic) &&
        strcmp(topic->valuestring, "arithmetic") == 0) {
        char *why = xasprintf("in %.0f %% of the samples a warp here %s",
                              l->waits_share * 100, l->waits);

        cJSON_ReplaceItemInObjectCaseSensitive(line, "why", cJSON_CreateString(why));
        cJSON_ReplaceItemInObjectCaseSensitive(line, "topic",
                                               cJSON_CreateString("latency"));
        free(why);
    }
}

/* Adds the lines of a kernel, the costliest first, in the pieces that struct kernel_cost
 * has room for. *told is how many have been told of all kernels. */
static void
add_lines(cJSON *o, struct kernel_cost *k, const struct ncu_lines *lines, size_t *told,
          const char *filename, const char *text)
{
    size_t at = 0;
    cJSON *line;

    while (at < lines->count && *told < LINES_TOLD) {
        for (k->line_count = 0; k->line_count < COST_LINES && at < lines->count; at++)
            k->line[k->line_count++] = lines->line[at].cost;
        *told += k->line_count;
        k->lines_left = (uint32_t)(lines->count - at);
        cost_json_add_lines(o, k, filename, text);
    }
    at = 0;
    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(o, "lines"))
        finish_line(line, &lines->line[at++]);
}

static int
by_time(const void *left, const void *right)
{
    const struct profiled *a = left, *b = right;

    return (a->cost.ns < b->cost.ns) - (a->cost.ns > b->cost.ns);
}

cJSON *
ncu_kernels_read(const struct csv_table *raw, const struct csv_table *source,
                 const char *filename, const char *text)
{
    struct profile *p = xcalloc(1, sizeof *p);
    cJSON *list = cJSON_CreateArray();
    size_t told = 0;

    p->raw = raw;
    for (size_t row = HEAD_ROWS; row < csv_table_rows(raw); row++)
        add_launch(p, row);
    qsort(p->kernel, p->count, sizeof *p->kernel, by_time);
    for (size_t i = 0; i < p->count; i++) {
        cJSON *o = kernel_json(&p->kernel[i], filename, text);
        struct ncu_lines lines;

        ncu_lines_read(source, &p->kernel[i].cost, &lines);
        add_lines(o, &p->kernel[i].cost, &lines, &told, filename, text);
        ncu_lines_free(&lines);
        cJSON_AddItemToArray(list, o);
    }
    free(p);
    return list;
}
