/* Decides which problems are hidden from whom. The list of what is hidden at all is kept
 * until something about rights has changed in the store. */
#include "daemon/hiding.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/specs.h"
#include "record/assignments.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

struct hiding {
    struct daemon *daemon;
    struct hidden_problems list;
    bool read;
    uint64_t version; /* of the store's rights, when the list was read */
};

static int
hiding_read(struct hiding *h, struct report *r)
{
    const uint64_t version = store_rights_version(h->daemon->store);
    struct hidden_problems list;

    if (h->read && h->version == version)
        return 0;
    if (store_hidden_problems(h->daemon->store, now_ms(), &list, r) != 0)
        return -1;
    hidden_problems_free(&h->list);
    h->list = list;
    h->version = version;
    h->read = true;
    return 0;
}

/* Is there one that is hidden now, and has this slug? NULL means any. */
static bool
hiding_has(const struct hiding *h, const char *problem)
{
    const int64_t now = h->list.count > 0 ? now_ms() : 0;

    for (size_t i = 0; i < h->list.count; i++)
        if (now < h->list.row[i].opens_ms &&
            (problem == NULL || strcmp(h->list.row[i].problem, problem) == 0))
            return true;
    return false;
}

static bool
hiding_has_or_fails(struct hiding *h, const char *problem)
{
    struct report r = {0};

    if (hiding_read(h, &r) == 0)
        return hiding_has(h, problem);
    log_line("what is hidden cannot be read: %s", r.text);
    return true;
}

bool
hiding_any(struct hiding *h)
{
    return hiding_has_or_fails(h, NULL);
}

bool
hiding_hides_from_some(struct hiding *h, const char *problem)
{
    return hiding_has_or_fails(h, problem);
}

int
hiding_hides(struct hiding *h, const struct identity *who, const char *problem,
             bool *hides, struct report *r)
{
    bool sees = true;

    if (hiding_read(h, r) != 0)
        return -1;
    if (hiding_has(h, problem) && !rights_all_problems(who)) {
        sees = false;
        if (who->account != 0 &&
            store_sees_hidden(h->daemon->store, who->account, rights_teaches(who),
                              problem, now_ms(), &sees, r) != 0)
            return -1;
    }
    *hides = !sees;
    return 0;
}

int
hiding_hides_work(struct hiding *h, const struct identity *who, const char *problem,
                  const char *user, bool *hides, struct report *r)
{
    *hides = false;
    return rights_is_user(who, user) ? 0 : hiding_hides(h, who, problem, hides, r);
}

const struct problem *
hiding_get(struct hiding *h, const struct identity *who, const char *slug, bool *exists,
           struct report *r)
{
    bool hides;

    *exists = true;
    if (hiding_hides(h, who, slug, &hides, r) != 0)
        return NULL;
    if (!hides)
        return specs_get(h->daemon->specs, slug, exists, r);
    *exists = false;
    specs_report_unknown(h->daemon->specs, slug, r);
    return NULL;
}

int
hiding_filter(struct hiding *h, const struct identity *who, char **slugs, int *count,
              struct report *r)
{
    int kept = 0, rc = 0;

    for (int i = 0; i < *count; i++) {
        bool hides = false;

        if (rc == 0)
            rc = hiding_hides(h, who, slugs[i], &hides, r);
        if (hides)
            free(slugs[i]);
        else
            slugs[kept++] = slugs[i];
    }
    *count = kept;
    return rc;
}

int
hiding_filter_json(struct hiding *h, const struct identity *who, cJSON *list,
                   struct report *r)
{
    for (cJSON *item = list->child, *next; item != NULL; item = next) {
        bool hides;

        next = item->next;
        if (hiding_hides(h, who, item->valuestring, &hides, r) != 0)
            return -1;
        if (hides)
            cJSON_Delete(cJSON_DetachItemViaPointer(list, item));
    }
    return 0;
}

static bool
hiding_on_suggestion(void *arg, const char *slug)
{
    return hiding_hides_from_some(arg, slug);
}

struct hiding *
hiding_new(struct daemon *d)
{
    struct hiding *h = xcalloc(1, sizeof *h);

    h->daemon = d;
    specs_set_hides(d->specs, hiding_on_suggestion, h);
    return h;
}

void
hiding_free(struct hiding *h)
{
    if (h == NULL)
        return;
    hidden_problems_free(&h->list);
    free(h);
}
