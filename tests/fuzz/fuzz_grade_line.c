// links: cli gpu_process gpu_owner sandbox common
/* Any bytes as a file of `grade`: each line is a line or a sentence that begins with its
 * place. The same lines as bundles are good or bad, and none here is good. */
#include "base/config.h"
#include "base/utf8.h"
#include "cli/bundle.h"
#include "cli/grade_line.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_line(const struct grade_line *line)
{
    if (line->id == NULL || line->id[0] == '\0' ||
        strlen(line->id) > GRADE_ID_BYTES_MAX || line->problem == NULL ||
        line->source == NULL || strlen(line->source) > SOURCE_BYTES_MAX ||
        utf8_prefix(line->source, strlen(line->source)) != strlen(line->source) ||
        (line->seed[0] != '\0' && !job_seed_is_valid(line->seed)))
        abort();
}

static void
check_bundle(const struct jsonl *in)
{
    struct report r = {0};
    cJSON *o = jsonl_parse(in, &r);

    if (o != NULL && (bundle_check(o, &r) == 0 || !report_is_set(&r)))
        abort();
    cJSON_Delete(o);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report r = {0};
    struct jsonl in = {.path = "in.jsonl"};

    if (size == 0)
        return 0;
    in.file = fmemopen((void *)(uintptr_t)data, size, "r");
    if (in.file == NULL)
        return 0;
    while (jsonl_next(&in, &r) > 0) {
        struct grade_line line;
        struct report why = {0};
        char place[40];

        snprintf(place, sizeof place, "in.jsonl:%ld: ", in.number);
        if (grade_line_read(&in, &line, &why) == 0)
            check_line(&line);
        else if (strncmp(why.text, place, strlen(place)) != 0)
            abort();
        grade_line_free(&line);
        check_bundle(&in);
    }
    if (report_is_set(&r))
        abort();
    jsonl_close(&in);
    return 0;
}
