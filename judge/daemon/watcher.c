#include "daemon/watcher.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "record/store.h"

#include <string.h>

struct watcher
watcher_new(const struct http_call *c)
{
    return (struct watcher){.who = c->who,
                            .rights = store_rights_version(c->daemon->store)};
}

bool
watcher_must_be_asked(const struct watcher *w, const struct daemon *d)
{
    return w->rights != store_rights_version(d->store) ||
           (w->who.expires_ms != 0 && w->who.expires_ms <= now_ms());
}

bool
watcher_is_allowed(struct watcher *w, struct daemon *d, struct evhttp_request *req,
                   int64_t submission)
{
    struct http_call call = {.daemon = d, .req = req};
    struct submission sub;
    struct identity now;
    struct report r = {0};
    bool found = false, may = false;

    w->rights = store_rights_version(d->store);
    if (identity_find(&call, &now, &r) != 0 || now.account != w->who.account ||
        strcmp(now.name, w->who.name) != 0)
        return false;
    w->who = now;
    if (submission == 0)
        return true;
    if (store_get(d->store, submission, &found, &sub, &r) != 0 || !found)
        return false;
    if (rights_see_source(d, &w->who, &sub, &may, &r) != 0)
        may = false;
    submission_free(&sub);
    return may;
}
