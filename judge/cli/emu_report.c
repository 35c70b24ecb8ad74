/* What the emulated GPU found in a program and what it counted, as text or as JSON. */
#include "cli/emu.h"

#include "base/buf.h"
#include "cli/kernel_costs.h"
#include "device/cost_json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { KERNELS_MAX = 8 }; /* how many kernels' costs are shown */

/* The name of a kind in --json. */
static const char *
emu_report_kind(enum fault_kind kind)
{
    switch (kind) {
    case FAULT_NONE:
        return "none";
    case FAULT_PTX_SYNTAX:
        return "bad_ptx";
    case FAULT_PTX_UNSUPPORTED:
        return "unsupported_ptx";
    case FAULT_ILLEGAL_ADDRESS:
        return "illegal_address";
    case FAULT_MISALIGNED:
        return "misaligned_address";
    case FAULT_UNINITIALIZED:
        return "uninitialized_read";
    case FAULT_RACE:
        return "race";
    case FAULT_BARRIER:
        return "barrier";
    case FAULT_DIVERGENT_BARRIER:
        return "divergent_barrier";
    case FAULT_OUT_OF_ARRAY:
        return "out_of_array";
    case FAULT_SHUFFLE:
        return "shuffle";
    case FAULT_TRAP:
        return "trap";
    case FAULT_ASSERT:
        return "assertion";
    case FAULT_LAUNCH_CONFIG:
        return "launch_configuration";
    case FAULT_OUT_OF_RESOURCES:
        return "out_of_resources";
    case FAULT_BUDGET:
        return "instruction_budget";
    case FAULT_INTERRUPTED:
        return "interrupted";
    case FAULT_OUT_OF_MEMORY:
    case FAULT_PROCESS_MEMORY:
        return "out_of_memory";
    }
    return "unknown";
}

static void
emu_report_add(struct emu_findings *list, size_t process, const struct fault *f)
{
    if (f->kind == FAULT_NONE || f->kind == FAULT_INTERRUPTED)
        return;
    if (list->count == list->cap) {
        list->cap = list->cap != 0 ? 2 * list->cap : 8;
        list->list = xrealloc(list->list, list->cap * sizeof *list->list);
    }
    list->list[list->count++] = (struct emu_finding){process, *f};
}

/* For before each question. Where nobody waits for what the program left to the GPU, a
 * launch of its may begin after any answer. The next question would wait for its end. */
static int
ready_to_ask(struct emu_gpu *g, bool wait)
{
    return wait ? 0 : gpu_interrupt(g->gpu);
}

/* Takes what was found in one process: notices, and the fault that ended it, if there is
 * one. */
static int
take_client(struct emu_gpu *g, size_t i, bool wait, struct emu_findings *out)
{
    struct fault f = {0};
    int rc = 1;

    for (uint32_t index = 0; rc > 0; index++) {
        rc = ready_to_ask(g, wait);
        if (rc == 0)
            rc = gpu_notice(g->gpu, g->client[i], index, &f);
        if (rc > 0)
            emu_report_add(out, i + 1, &f);
    }
    if (rc == 0)
        rc = ready_to_ask(g, wait);
    if (rc == 0)
        rc = gpu_fault(g->gpu, g->client[i], &f);
    if (rc == 0 && !fault_is_notice(f.kind))
        emu_report_add(out, i + 1, &f);
    return rc;
}

static int
take_costs(struct emu_gpu *g, struct emu_findings *out)
{
    struct kernel_cost cost;
    int rc = 1;

    out->kernels = cJSON_CreateArray();
    for (uint32_t i = 0; i < KERNELS_MAX && rc > 0; i++) {
        rc = gpu_cost(g->gpu, g->own, i, 0, &cost);
        if (rc > 0)
            cJSON_AddItemToArray(out->kernels, cost_json_kernel(&cost, NULL, NULL));
    }
    return rc < 0 ? -1 : 0;
}

int
emu_findings_take(struct emu_gpu *g, bool wait, struct emu_findings *out,
                  struct report *r)
{
    int rc = 0;

    *out = (struct emu_findings){0};
    for (size_t i = 0; rc == 0 && i < g->client_count; i++) {
        if (wait)
            rc = gpu_counters(g->gpu, g->client[i], &out->counters);
        if (rc == 0)
            rc = take_client(g, i, wait, out);
    }
    if (rc == 0)
        rc = ready_to_ask(g, wait);
    if (rc == 0)
        rc = gpu_counters(g->gpu, g->own, &out->counters);
    if (rc == 0 && wait)
        rc = take_costs(g, out);
    if (rc != 0) {
        struct buf said = {0};

        gpu_process_end(&g->process, &said);
        report_fail(r, "the emulated GPU has died%s%s", said.len > 0 ? ": " : "",
                    buf_str(&said));
        buf_free(&said);
    }
    return rc;
}

void
emu_findings_free(struct emu_findings *f)
{
    free(f->list);
    cJSON_Delete(f->kernels);
    *f = (struct emu_findings){0};
}

/* --- for a person ----------------------------------------------------------------- */

static void
emu_report_count(const struct terminal *t, const char *what, uint64_t n)
{
    terminal_print(t, STYLE_PLAIN, "  %-24s %16llu\n", what, (unsigned long long)n);
}

static void
print_counters(const struct terminal *t, const struct counters *c)
{
    terminal_print(t, STYLE_BOLD, "emulated GPU: ");
    terminal_print(t, STYLE_PLAIN, "modelled time %.3f us\n", c->modelled_ns / 1e3);
    emu_report_count(t, "kernels launched", c->launches);
    emu_report_count(t, "copies and fills", c->copies);
    emu_report_count(t, "bytes to the device", c->copy_bytes_h2d);
    emu_report_count(t, "bytes from the device", c->copy_bytes_d2h);
    emu_report_count(t, "warp instructions", c->warp_instructions);
    emu_report_count(t, "thread instructions", c->thread_instructions);
    emu_report_count(t, "divergent branches", c->divergent_branches);
    emu_report_count(t, "global requests", c->global_requests);
    emu_report_count(t, "global sectors", c->global_sectors);
    emu_report_count(t, "shared requests", c->shared_requests);
    emu_report_count(t, "shared wavefronts", c->shared_wavefronts);
    emu_report_count(t, "atomic requests", c->atomic_requests);
    emu_report_count(t, "barriers", c->barriers);
}

void
emu_findings_print(const struct terminal *t, const struct emu_findings *f,
                   size_t processes, bool counters)
{
    for (size_t i = 0; i < f->count; i++) {
        terminal_print(t, STYLE_BOLD, "warpjudge emu: ");
        if (processes > 1)
            terminal_print(t, STYLE_DIM, "process %zu: ", f->list[i].process);
        terminal_print(t, STYLE_PLAIN, "%s\n", f->list[i].fault.text);
    }
    if (counters) {
        print_counters(t, &f->counters);
        kernel_costs_print_list(t, f->kernels);
    }
}

/* --- for a program ---------------------------------------------------------------- */

static void
emu_report_add_place(cJSON *object, const char *name, const uint32_t place[3])
{
    cJSON *array = cJSON_AddArrayToObject(object, name);

    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(array, cJSON_CreateNumber(place[i]));
}

static cJSON *
finding_json(const struct emu_finding *finding)
{
    const struct fault *f = &finding->fault;
    cJSON *object = cJSON_CreateObject();
    char address[24];

    cJSON_AddStringToObject(object, "kind", emu_report_kind(f->kind));
    cJSON_AddStringToObject(object, "text", f->text);
    cJSON_AddNumberToObject(object, "process", (double)finding->process);
    if (f->kernel[0] != '\0') {
        cJSON_AddStringToObject(object, "kernel", f->kernel);
        emu_report_add_place(object, "block", f->block);
        emu_report_add_place(object, "thread", f->thread);
    }
    if (f->line != 0) {
        cJSON_AddStringToObject(object, "file", f->file);
        cJSON_AddNumberToObject(object, "line", f->line);
    }
    if (f->other_line != 0) { /* the other access of a race */
        cJSON_AddStringToObject(object, "other_file", f->other_file);
        cJSON_AddNumberToObject(object, "other_line", f->other_line);
        emu_report_add_place(object, "other_block", f->other_block);
        emu_report_add_place(object, "other_thread", f->other_thread);
    }
    if (f->access_bytes != 0) {
        /* A text, because a JSON number does not keep 64 bits. */
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)f->address);
        cJSON_AddStringToObject(object, "address", address);
        cJSON_AddStringToObject(object, "space", f->space);
    }
    return object;
}

static cJSON *
counters_json(const struct counters *c)
{
    const struct {
        const char *name;
        uint64_t value;
    } list[] = {
#define C(name) {#name, c->name}
        C(launches),          C(copies),
        C(copy_bytes_h2d),    C(copy_bytes_d2h),
        C(copy_bytes_d2d),    C(memset_bytes),
        C(warp_instructions), C(thread_instructions),
        C(fp32_flops),        C(fp64_flops),
        C(fp16_flops),        C(int_ops),
        C(sfu_ops),           C(tensor_flops),
        C(global_requests),   C(global_sectors),
        C(global_load_bytes), C(global_store_bytes),
        C(shared_requests),   C(shared_wavefronts),
        C(atomic_requests),   C(atomic_serial),
        C(barriers),          C(divergent_branches),
#undef C
    };
    cJSON *object = cJSON_CreateObject();

    cJSON_AddNumberToObject(object, "modelled_ns", c->modelled_ns);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        cJSON_AddNumberToObject(object, list[i].name, (double)list[i].value);
    return object;
}

void
emu_findings_json(const struct terminal *t, const struct emu_findings *f,
                  const struct emu_program *p, size_t processes, int status)
{
    cJSON *object = cJSON_CreateObject();
    cJSON *list;
    char *text;

    cJSON_AddStringToObject(object, "program", p->path);
    if (WIFSIGNALED(status))
        cJSON_AddNumberToObject(object, "signal", WTERMSIG(status));
    else
        cJSON_AddNumberToObject(object, "exit_status", WEXITSTATUS(status));
    cJSON_AddNumberToObject(object, "processes", (double)processes);
    list = cJSON_AddArrayToObject(object, "findings");
    for (size_t i = 0; i < f->count; i++)
        cJSON_AddItemToArray(list, finding_json(&f->list[i]));
    cJSON_AddItemToObject(object, "counters", counters_json(&f->counters));
    if (f->kernels != NULL)
        cJSON_AddItemToObject(object, "kernels", cJSON_Duplicate(f->kernels, true));
    text = cJSON_PrintUnformatted(object);
    fprintf(t->file, "%s\n", text != NULL ? text : "{}");
    free(text);
    cJSON_Delete(object);
}
