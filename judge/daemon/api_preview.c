/* The API's previews of problems, for their authors. previews.h makes them. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/events.h"
#include "daemon/previews.h"
#include "daemon/specs.h"
#include "problem/names.h"

#include <event2/http.h>
#include <stdlib.h>
#include <unistd.h>

/* May who asks see the preview, and is there such a folder? False after having answered.
 */
static bool
check_preview(struct http_call *c)
{
    struct daemon *d = c->daemon;
    const char *slug = c->arg[0];
    struct report r = {0};
    char *folder;
    bool there;
    int status = 0;

    if (!previews_has_key(d->previews, slug, call_query(c, "key")))
        status = rights_check(&d->policy, &c->who, NEED_STAFF, &r);
    if (status != 0) {
        reply_refused(c, status, &r);
        return false;
    }
    folder = xasprintf("%s/%s", specs_dir(d->specs), slug);
    there = slug_is_valid(slug) && access(folder, F_OK) == 0;
    free(folder);
    if (!there) {
        specs_report_unknown(d->specs, slug, &r);
        reply_problem(c, ERROR_NO_SUCH_PROBLEM, NULL, "%s", r.text);
    }
    return there;
}

void
api_preview(struct http_call *c)
{
    if (check_preview(c))
        previews_show(c->daemon->previews, c, c->arg[0]);
}

void
api_preview_events(struct http_call *c)
{
    const char *seen = call_query(c, "seen");

    if (!check_preview(c))
        return;
    if (call_is_head(c)) {
        evhttp_add_header(evhttp_request_get_output_headers(c->req), "Content-Type",
                          EVENTS_TYPE);
        reply_head(c, 200);
        return;
    }
    previews_wait(c->daemon->previews, c, c->arg[0], seen != NULL ? seen : "");
}
