#include "device/cost_json.h"

#include "emulator/gpu/advice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_TEXT_MAX 200

void
cost_json_counters(cJSON *o, const struct counters *c)
{
    const struct {
        const char *name;
        uint64_t value;
    } field[] = {
#define FIELD(name) {#name, c->name}
        FIELD(launches),
        FIELD(warp_instructions),
        FIELD(thread_instructions),
        FIELD(issue_slots),
        FIELD(fp32_flops),
        FIELD(fp64_flops),
        FIELD(fp16_flops),
        FIELD(int_ops),
        FIELD(sfu_ops),
        FIELD(tensor_flops),
        FIELD(global_requests),
        FIELD(global_sectors),
        FIELD(l1_missed_sectors),
        FIELD(global_load_bytes),
        FIELD(global_store_bytes),
        FIELD(shared_requests),
        FIELD(shared_wavefronts),
        FIELD(shared_ideal),
        FIELD(atomic_requests),
        FIELD(atomic_sectors),
        FIELD(atomic_serial),
        FIELD(host_bytes),
        FIELD(atomic_hottest),
        FIELD(barriers),
        FIELD(divergent_branches),
        FIELD(path_cycles),
        FIELD(path_loads),
        FIELD(copies),
#undef FIELD
    };

    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++)
        cJSON_AddNumberToObject(o, field[i].name, (double)field[i].value);
}

/* Copies line n of a text without the blanks around it, cut if it is too long. */
static void
line_text(const char *source, int n, char out[LINE_TEXT_MAX])
{
    size_t len;

    for (; n > 1 && source != NULL; n--) {
        source = strchr(source, '\n');
        source = source != NULL ? source + 1 : NULL;
    }
    if (source == NULL)
        source = "";
    source += strspn(source, " \t");
    len = strcspn(source, "\r\n");
    snprintf(out, LINE_TEXT_MAX, "%.*s",
             (int)(len < LINE_TEXT_MAX ? len : LINE_TEXT_MAX - 1), source);
}

static void
add_advice(cJSON *o, const struct advice *advice)
{
    cJSON_AddStringToObject(o, "why", advice->text);
    cJSON_AddStringToObject(o, "topic", advice_topic_name(advice->topic));
}

static cJSON *
line_json(const struct kernel_cost *k, const struct line_cost *line, const char *filename,
          const char *source)
{
    double work = k->ns - k->launch_ns;
    struct advice advice;
    char text[LINE_TEXT_MAX];
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "file", line->file);
    cJSON_AddNumberToObject(o, "line", line->line);
    if (filename != NULL && source != NULL && line->line > 0 &&
        strcmp(line->file, filename) == 0) {
        line_text(source, line->line, text);
        cJSON_AddStringToObject(o, "text", text);
    }
    cJSON_AddNumberToObject(o, "ns", line->ns);
    /* A line is a part of its kernel: no quotient of two strangers' numbers is above 1.
     */
    cJSON_AddNumberToObject(o, "share", line->ns < work ? line->ns / work : work > 0);
    advice_line(k, line, &advice);
    add_advice(o, &advice);
    cost_json_counters(o, &line->counters);
    cJSON_DeleteItemFromObject(o, "launches"); /* only kernels have these */
    cJSON_DeleteItemFromObject(o, "copies");
    cJSON_DeleteItemFromObject(o, "atomic_hottest");
    return o;
}

/* The blocks that an SM holds at once, and what keeps it from holding more. */
static void
add_occupancy(cJSON *kernel, const struct kernel_cost *k)
{
    static const char *const names[] = {
#define X(id, name) name,
        OCCUPANCY_LIMITS(X)
#undef X
    };
    const double warps = k->blocks_per_sm * ceil(k->threads_per_block / 32.0);
    cJSON *o = cJSON_AddObjectToObject(kernel, "occupancy"), *limits;

    cJSON_AddNumberToObject(o, "blocks", k->blocks_per_sm);
    cJSON_AddNumberToObject(o, "warps", warps);
    cJSON_AddNumberToObject(o, "warps_of_sm", k->warps_of_sm);
    limits = cJSON_AddObjectToObject(o, "limits");
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        cJSON_AddNumberToObject(limits, names[i], k->limit_blocks[i]);
}

void
cost_json_add_lines(cJSON *kernel, const struct kernel_cost *k, const char *filename,
                    const char *source)
{
    cJSON *lines = cJSON_GetObjectItemCaseSensitive(kernel, "lines");

    if (lines == NULL)
        lines = cJSON_AddArrayToObject(kernel, "lines");
    for (uint32_t i = 0; i < k->line_count; i++)
        cJSON_AddItemToArray(lines, line_json(k, &k->line[i], filename, source));
    cJSON_DeleteItemFromObjectCaseSensitive(kernel, "lines_left");
    cJSON_AddNumberToObject(kernel, "lines_left", k->lines_left);
}

cJSON *
cost_json_kernel(const struct kernel_cost *k, const char *filename, const char *source)
{
    cJSON *o = cJSON_CreateObject(), *bounds;
    struct advice advice;

    cJSON_AddStringToObject(o, "name", k->name);
    cJSON_AddNumberToObject(o, "blocks", (double)k->blocks);
    cJSON_AddNumberToObject(o, "warps", (double)k->warps);
    cJSON_AddNumberToObject(o, "threads_per_block", k->threads_per_block);
    cJSON_AddNumberToObject(o, "registers", k->registers);
    cJSON_AddNumberToObject(o, "shared_bytes", k->shared_bytes);
    cJSON_AddNumberToObject(o, "blocks_per_sm", k->blocks_per_sm);
    add_occupancy(o, k);
    cJSON_AddNumberToObject(o, "ns", k->ns);
    cJSON_AddNumberToObject(o, "launch_ns", k->launch_ns);
    cJSON_AddStringToObject(o, "bound", advice_bound_name(advice_bound(k)));
    advice_kernel(k, &advice);
    add_advice(o, &advice);
    bounds = cJSON_AddObjectToObject(o, "bounds_ns");
    for (int i = 0; i < COST_BOUND_COUNT; i++)
        cJSON_AddNumberToObject(bounds, advice_bound_name((enum cost_bound)i),
                                k->bound_ns[i]);
    cost_json_counters(o, &k->counters);
    cost_json_add_lines(o, k, filename, source);
    return o;
}
