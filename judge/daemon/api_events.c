/* The API's streams: of one submission as lines or as server-sent events, and of all. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/events.h"
#include "daemon/log.h"
#include "daemon/streams.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

/* --- lines -------------------------------------------------------------- */

/* The event that ends a stream, which the caller frees. NULL and a report if the store
 * fails. */
static char *
done_event(struct daemon *d, const struct submission *sub, struct report *r)
{
    cJSON *o = cJSON_CreateObject(), *inner = submission_json(d, sub, true, r);
    char *text = NULL;

    if (inner != NULL) {
        cJSON_AddStringToObject(o, "event", "done");
        cJSON_AddItemToObject(o, "submission", inner);
        text = cJSON_PrintUnformatted(o);
        if (text == NULL)
            die(4, "out of memory");
    }
    cJSON_Delete(o);
    return text;
}

void
api_tell_done(struct daemon *d, int64_t id)
{
    struct submission sub;
    struct report r = {0};
    char *event = NULL;
    bool found = false;

    if (!streams_watched(d->streams, id))
        return;
    if (store_get(d->store, id, &found, &sub, &r) == 0 && found) {
        event = done_event(d, &sub, &r);
        submission_free(&sub);
    }
    /* Where the last event cannot be made, the watchers see their stream end, and ask
     * again. */
    if (event == NULL)
        log_line("submission %lld: %s", (long long)id, r.text);
    streams_finish(d->streams, id, event != NULL ? event : "");
    free(event);
}

static void
reply_lines(struct http_call *c, const struct submission *sub)
{
    struct daemon *d = c->daemon;
    struct report r = {0};
    char *event;

    if (call_is_head(c)) {
        evhttp_add_header(evhttp_request_get_output_headers(c->req), "Content-Type",
                          STREAM_TYPE);
        reply_head(c, 200);
    } else if (sub->done) {
        event = done_event(d, sub, &r);
        if (event == NULL) {
            reply_failure(c, &r);
        } else if (server_may_send(c, strlen(event), &r) != 0) {
            reply_later(c, 503, "%s", r.text);
        } else {
            streams_open(d->streams, c, sub->id);
            streams_finish(d->streams, sub->id, event);
        }
        free(event);
    } else if (server_may_stream(c, &r) != 0) {
        reply_later(c, 503, "%s", r.text);
    } else {
        streams_open(d->streams, c, sub->id);
    }
}

/* --- server-sent events ------------------------------------------------- */

/* Does who asks name the type of server-sent events among those that it takes? */
static bool
call_wants_events(const struct http_call *c)
{
    const char *accept =
        evhttp_find_header(evhttp_request_get_input_headers(c->req), "Accept");

    return accept != NULL && strcasestr(accept, EVENTS_TYPE) != NULL;
}

void
api_events(struct http_call *c)
{
    struct submission sub;

    if (!asked_source(c, &sub))
        return;
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Vary", "Accept");
    if (call_wants_events(c))
        events_open(c, &(struct events_scope){.submission = sub.id});
    else
        reply_lines(c, &sub);
    submission_free(&sub);
}

void
api_all_events(struct http_call *c)
{
    events_open(c, &(struct events_scope){.user = call_query(c, "user"),
                                          .problem = call_query(c, "problem")});
}
