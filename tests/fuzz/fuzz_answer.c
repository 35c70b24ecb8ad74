// links: cli gpu_process gpu_owner sandbox common
/*
 * What a server may answer to the command line: events, and a submission at the end of
 * them. The first byte says how large the pieces are in which it arrives. Whatever is
 * printed must be text that a terminal does not obey.
 */
#include "base/utf8.h"
#include "cli/kernel_costs.h"
#include "cli/progress.h"
#include "cli/result.h"
#include "cli/stream.h"
#include "cli/terminal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
    struct terminal terminal;
    struct progress progress;
};

static void
on_event(void *ctx, const char *name, cJSON *event)
{
    struct reading *r = ctx;
    cJSON *submission;

    progress_event(&r->progress, name, event);
    submission = cJSON_DetachItemFromObjectCaseSensitive(event, "submission");
    if (cJSON_IsObject(submission)) {
        result_print(&r->terminal, submission);
        (void)result_exit_status(submission);
        kernel_costs_print(&r->terminal, submission);
    }
    cJSON_Delete(submission);
}

static void
check_printed(const char *text, size_t len)
{
    if (utf8_prefix(text, len) != len)
        abort();
    for (size_t at = 0, step; at < len; at += step) {
        uint32_t c;

        step = utf8_decode(text + at, len - at, &c);
        if (c != '\n' && c != '\t' && (utf8_is_control(c) || utf8_is_bidi(c)))
            abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report report = {0};
    struct stream stream = {0};
    struct reading reading = {.terminal = {.width = 80, .utf8 = true}};
    char *printed = NULL;
    size_t len = 0, piece;

    if (size < 1)
        return 0;
    piece = (size_t)data[0] + 1;
    data++;
    size--;
    reading.terminal.file = open_memstream(&printed, &len);
    if (reading.terminal.file == NULL)
        abort();
    progress_begin(&reading.progress, &reading.terminal, false, 1);
    while (size > 0) {
        const size_t part = size < piece ? size : piece;

        if (stream_feed(&stream, (const char *)data, part, on_event, &reading, &report) !=
            0)
            break;
        data += part;
        size -= part;
    }
    progress_end(&reading.progress);
    stream_free(&stream);
    fclose(reading.terminal.file);
    check_printed(printed, len);
    free(printed);
    return 0;
}
