#include "cli/grade_result.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "numbers/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *
grade_stage_name(enum grade_stage stage)
{
    static const char *const names[] = {"compile", "emu", "gpu"};

    return names[stage];
}

const char *
grade_rejected_for(const cJSON *submission)
{
    static const char *const kinds[] = {"race", "out_of_array"};
    const cJSON *notice;

    if (strcmp(answer_string(submission, "verdict"), "accepted") != 0 ||
        strcmp(answer_string(submission, "device"), "emu") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        cJSON_ArrayForEach(notice, answer_array(submission, "notices"))
        {
            if (strcmp(answer_string(notice, "kind"), kinds[i]) == 0)
                return kinds[i];
        }
    return NULL;
}

/* Copies members that are there. */
static void
copy_members(cJSON *to, const cJSON *from, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, *keys);

        if (item != NULL && !cJSON_IsNull(item))
            cJSON_AddItemToObject(to, *keys, cJSON_Duplicate(item, true));
    }
}

/* Adds each baseline of the problem, and how the time is to it, where there is one. */
static void
add_ratios(cJSON *line, const cJSON *submission, const cJSON *baselines)
{
    static const cJSON_bool FASTER[] = {[FASTER_NO] = false, [FASTER_YES] = true};
    const double time = answer_number(submission, "time_ns");
    const struct interval own = {answer_number(submission, "low_ns"),
                                 answer_number(submission, "high_ns")};
    const cJSON *b;
    cJSON *list;

    if (cJSON_GetArraySize(baselines) == 0)
        return;
    list = cJSON_AddArrayToObject(line, "baselines");
    cJSON_ArrayForEach(b, baselines)
    {
        const struct interval theirs = {answer_number(b, "low_ns"),
                                        answer_number(b, "high_ns")};
        const struct ratio ratio =
            ratio_of(time, own, answer_number(b, "time_ns"), theirs);
        const enum faster faster = ratio_faster(own, theirs);
        cJSON *item = cJSON_Duplicate(b, true);

        cJSON_AddItemToArray(list, item);
        if (!(time > 0) || !(own.low > 0))
            continue;
        cJSON_AddNumberToObject(item, "ratio", ratio.value);
        cJSON_AddNumberToObject(item, "ratio_low", ratio.low);
        cJSON_AddNumberToObject(item, "ratio_high", ratio.high);
        if (faster == FASTER_UNSURE)
            cJSON_AddNullToObject(item, "faster");
        else
            cJSON_AddBoolToObject(item, "faster", FASTER[faster]);
    }
}

/* The sentence of the notice for which a line is rejected. */
static void
add_rejection(cJSON *line, const cJSON *submission, const char *kind)
{
    const cJSON *notice;

    cJSON_ArrayForEach(notice, answer_array(submission, "notices"))
    {
        if (strcmp(answer_string(notice, "kind"), kind) == 0) {
            cJSON_AddStringToObject(line, "message", answer_string(notice, "text"));
            return;
        }
    }
}

/* Where emu and the GPU say another thing, a line tells both. The GPU has judged more and
 * larger tests, so that it may be right where emu accepted. */
static void
add_disagreement(cJSON *line, const cJSON *emu, const cJSON *gpu)
{
    const char *kind = emu != NULL ? grade_rejected_for(emu) : NULL;
    const char *said = kind != NULL ? kind : answer_string(emu, "verdict");
    cJSON *o;

    if (emu == NULL || strcmp(said, answer_string(gpu, "verdict")) == 0)
        return;
    o = cJSON_AddObjectToObject(line, "disagreement");
    cJSON_AddStringToObject(o, "emu", said);
    cJSON_AddStringToObject(o, "gpu", answer_string(gpu, "verdict"));
    cJSON_AddStringToObject(o, "emu_message", answer_string(emu, "message"));
}

static void
add_names(cJSON *o, const struct grade_line *line, const struct grade_problem *p)
{
    cJSON_AddNumberToObject(o, "line", (double)line->number);
    cJSON_AddStringToObject(o, "id", line->id);
    cJSON_AddStringToObject(o, "problem", line->problem);
    cJSON_AddStringToObject(o, "difficulty", p->difficulty);
    if (line->tags != NULL)
        cJSON_AddItemToObject(o, "tags", cJSON_Duplicate(line->tags, true));
    if (p->tags != NULL)
        cJSON_AddItemToObject(o, "problem_tags", cJSON_Duplicate(p->tags, true));
}

cJSON *
grade_result_line(const struct grade_line *line, const struct grade_problem *p,
                  const char *key, enum grade_stage stage, const cJSON *submission,
                  const cJSON *emu)
{
    static const char *const MESSAGE[] = {"message", NULL};
    static const char *const TOLD[] = {
        "device",  "board",    "time_ns",    "modelled", "low_ns",
        "high_ns", "sizes",    "limit_ns",   "limit_by", "limit_share",
        "remark",  "counters", "conditions", "notices",  "diagnostics",
        "failure", "meaning",  "seed",       "insecure", NULL};
    const bool compiled =
        strcmp(answer_string(submission, "verdict"), "compile_error") != 0;
    const char *kind = grade_rejected_for(submission);
    cJSON *o = cJSON_CreateObject();

    add_names(o, line, p);
    cJSON_AddStringToObject(o, "verdict",
                            kind != NULL ? kind : answer_string(submission, "verdict"));
    cJSON_AddStringToObject(o, "stage",
                            grade_stage_name(compiled ? stage : STAGE_COMPILE));
    if (kind != NULL)
        add_rejection(o, submission, kind);
    else
        copy_members(o, submission, MESSAGE);
    copy_members(o, submission, TOLD);
    add_ratios(o, kind == NULL ? submission : NULL, p->baselines);
    if (stage == STAGE_GPU)
        add_disagreement(o, emu, submission);
    cJSON_AddBoolToObject(o, "cached", false);
    cJSON_AddStringToObject(o, "key", key);
    cJSON_AddNumberToObject(o, "submission", answer_number(submission, "id"));
    cJSON_AddNumberToObject(o, "finished_ms", answer_number(submission, "finished_ms"));
    return o;
}

cJSON *
grade_error_line(long number, const char *id, const char *why)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddNumberToObject(o, "line", (double)number);
    if (id != NULL)
        cJSON_AddStringToObject(o, "id", id);
    cJSON_AddStringToObject(o, "error", why);
    return o;
}

void
grade_cached_line(cJSON *judged, const struct grade_line *line)
{
    cJSON_DeleteItemFromObjectCaseSensitive(judged, "run");
    cJSON_DeleteItemFromObjectCaseSensitive(judged, "tags");
    cJSON_ReplaceItemInObjectCaseSensitive(judged, "line",
                                           cJSON_CreateNumber((double)line->number));
    cJSON_ReplaceItemInObjectCaseSensitive(judged, "id", cJSON_CreateString(line->id));
    cJSON_ReplaceItemInObjectCaseSensitive(judged, "cached", cJSON_CreateTrue());
    if (line->tags != NULL)
        cJSON_AddItemToObject(judged, "tags", cJSON_Duplicate(line->tags, true));
}
