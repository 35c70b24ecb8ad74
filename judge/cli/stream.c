#include "cli/stream.h"

#include "base/json.h"

#include <string.h>

static int
take_line(struct stream *s, stream_event_fn *on_event, void *ctx, struct report *r)
{
    const cJSON *name;
    cJSON *event;

    if (s->line.len == 0)
        return 0;
    event = json_parse(s->line.data, s->line.len, "the judge's events", r);
    buf_clear(&s->line);
    if (event == NULL)
        return -1;
    name = cJSON_GetObjectItemCaseSensitive(event, "event");
    if (!cJSON_IsString(name)) {
        cJSON_Delete(event);
        return report_fail(r, "the judge's events: one has no name");
    }
    on_event(ctx, name->valuestring, event);
    cJSON_Delete(event);
    return 0;
}

int
stream_feed(struct stream *s, const char *bytes, size_t len, stream_event_fn *on_event,
            void *ctx, struct report *r)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        size_t part = end != NULL ? (size_t)(end - bytes) : len;

        if (s->line.len + part > STREAM_LINE_BYTES_MAX)
            return report_fail(r, "the judge's events: one is longer than %zu bytes",
                               STREAM_LINE_BYTES_MAX);
        buf_add(&s->line, bytes, part);
        if (end == NULL)
            return 0;
        if (take_line(s, on_event, ctx, r) != 0)
            return -1;
        bytes = end + 1;
        len -= part + 1;
    }
    return 0;
}

void
stream_free(struct stream *s)
{
    buf_free(&s->line);
}
