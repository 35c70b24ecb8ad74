#include "arbiter/judging/findings.h"

#include "base/report.h"
#include "numbers/decimal.h"

#include <cjson/cJSON.h>
#include <string.h>

const char *
findings_kind(enum fault_kind kind)
{
    static const char *const NAMES[] = {
        [FAULT_NONE] = "other",
        [FAULT_PTX_SYNTAX] = "ptx",
        [FAULT_PTX_UNSUPPORTED] = "ptx",
        [FAULT_ILLEGAL_ADDRESS] = "illegal_address",
        [FAULT_MISALIGNED] = "misaligned_address",
        [FAULT_UNINITIALIZED] = "uninitialized_read",
        [FAULT_RACE] = "race",
        [FAULT_BARRIER] = "barrier",
        [FAULT_TRAP] = "trap",
        [FAULT_ASSERT] = "assert",
        [FAULT_LAUNCH_CONFIG] = "launch",
        [FAULT_OUT_OF_RESOURCES] = "launch",
        [FAULT_BUDGET] = "budget",
        [FAULT_INTERRUPTED] = "budget",
        [FAULT_OUT_OF_MEMORY] = "memory",
        [FAULT_OUT_OF_ARRAY] = "out_of_array",
        [FAULT_DIVERGENT_BARRIER] = "divergent_barrier",
        [FAULT_SHUFFLE] = "shuffle",
        [FAULT_PROCESS_MEMORY] = "memory",
    };

    return (size_t)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : NAMES[FAULT_NONE];
}

/* --- failures ----------------------------------------------------------- */

static cJSON *
failure_new(const struct param *param, const struct extent *extent, uint64_t flat)
{
    cJSON *o = cJSON_CreateObject(), *index = cJSON_CreateArray();

    for (int k = extent->rank - 1; k >= 0; k--) {
        cJSON_InsertItemInArray(index, 0,
                                cJSON_CreateNumber((double)(flat % extent->dim[k])));
        flat /= extent->dim[k];
    }
    cJSON_AddStringToObject(o, "output", param->name);
    cJSON_AddItemToObject(o, "index", index);
    return o;
}

cJSON *
findings_value(enum dtype type, const void *element)
{
    char text[DECIMAL_BYTES];

    decimal_text(type, element, text);
    return decimal_is_json(type, element) ? cJSON_CreateRaw(text)
                                          : cJSON_CreateString(text);
}

void
findings_add_mismatch(struct outcome *o, const struct mismatch *m)
{
    if (o->failure != NULL)
        return;
    o->failure = failure_new(m->param, m->extent, m->result->first);
    cJSON_AddItemToObject(o->failure, "got", findings_value(m->param->type, m->got));
    cJSON_AddItemToObject(o->failure, "want", findings_value(m->param->type, m->want));
    cJSON_AddNumberToObject(o->failure, "wrong", (double)m->result->wrong);
    cJSON_AddNumberToObject(o->failure, "of", (double)m->extent->count);
}

void
findings_add_refusal(struct outcome *o, const struct param *param,
                     const struct extent *extent, const struct outputs_finding *finding)
{
    if (o->failure != NULL)
        return;
    o->failure = failure_new(param, extent, finding->result.first);
    cJSON_AddStringToObject(o->failure, "text", finding->text);
}

void
findings_name_test(struct outcome *o, int number, const char *sizes)
{
    if (o->failure == NULL)
        return;
    cJSON_AddNumberToObject(o->failure, "test", number);
    cJSON_AddStringToObject(o->failure, "sizes", sizes);
}

/* --- diagnostics -------------------------------------------------------- */

void
findings_add_lines(cJSON *o, const struct fault *f)
{
    if (f->line > 0) {
        cJSON_AddStringToObject(o, "file", f->file);
        cJSON_AddNumberToObject(o, "line", f->line);
    }
    if (f->other_line > 0) {
        cJSON_AddStringToObject(o, "other_file", f->other_file);
        cJSON_AddNumberToObject(o, "other_line", f->other_line);
    }
}

void
findings_add_fault(struct outcome *o, const struct fault *f)
{
    cJSON *diagnostic;

    if (o->diagnostics != NULL)
        return;
    diagnostic = cJSON_CreateObject();
    cJSON_AddStringToObject(diagnostic, "kind", findings_kind(f->kind));
    cJSON_AddStringToObject(diagnostic, "severity", "error");
    cJSON_AddStringToObject(diagnostic, "text", f->text);
    findings_add_lines(diagnostic, f);
    o->diagnostics = cJSON_CreateArray();
    cJSON_AddItemToArray(o->diagnostics, diagnostic);
}

char *
findings_text(const struct outcome *o)
{
    cJSON *all;
    char *text;

    if (o->failure == NULL && o->diagnostics == NULL)
        return NULL;
    all = cJSON_CreateObject();
    if (o->failure != NULL)
        cJSON_AddItemReferenceToObject(all, "failure", o->failure);
    if (o->diagnostics != NULL)
        cJSON_AddItemReferenceToObject(all, "diagnostics", o->diagnostics);
    text = cJSON_PrintUnformatted(all);
    cJSON_Delete(all);
    if (text == NULL)
        die(4, "out of memory");
    return text;
}
