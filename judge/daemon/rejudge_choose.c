/* Chooses the submissions that are judged again. */
#include "daemon/rejudge.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/meanings.h"
#include "daemon/specs.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_ROWS 500

/* The device that it was judged on, where that still has the same board; otherwise any
 * that has, or NULL. */
static const struct device_entry *
device_for(const struct devices *d, const struct submission *sub)
{
    const struct device_entry *e = devices_find(d, sub->device);

    if (e != NULL && strcmp(e->board, sub->board) == 0)
        return e;
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].board, sub->board) == 0)
            return &d->entry[i];
    return NULL;
}

/* Was it submitted for a board, and judged? */
static bool
may_be_chosen(const struct submission *sub, struct report *r)
{
    const long long id = (long long)sub->id;

    if (sub->sample_tests_only)
        report_fail(r, "submission %lld was no submission for a board", id);
    else if (!sub->done)
        report_fail(r, "submission %lld is not judged yet", id);
    else if (sub->result.verdict == VERDICT_CANCELLED)
        report_fail(r, "submission %lld was cancelled", id);
    else
        return true;
    return false;
}

/* Can it be judged here? Then it has a device. */
static const struct device_entry *
device_that_can(struct daemon *d, const struct submission *sub, struct report *r)
{
    const struct device_entry *e = device_for(&d->devices, sub);
    const long long id = (long long)sub->id;
    struct report why = {0};
    bool exists;
    const struct problem *p;

    if (e == NULL) {
        report_fail(r, "submission %lld was judged on %s, and no device here is one", id,
                    sub->board);
        return NULL;
    }
    p = specs_get(d->specs, sub->problem, &exists, &why);
    if (p == NULL) {
        report_fail(r, "the problem of submission %lld: %s", id, why.text);
        return NULL;
    }
    return devices_take(&d->devices, e, p, r) == 0 ? e : NULL;
}

static void
add_rejudged(struct rejudged_list *list, const struct submission *sub,
             const struct device_entry *e)
{
    const struct result *res = &sub->result;

    list->row = xrealloc(list->row, (list->count + 1) * sizeof *list->row);
    list->row[list->count++] = (struct rejudged){
        .id = sub->id,
        .user = xstrdup(sub->user),
        .problem = xstrdup(sub->problem),
        .filename = xstrdup(sub->filename),
        .device = xstrdup(e->name),
        .board = xstrdup(e->board),
        .before = res->verdict,
        .before_ns = res->timing.present ? res->timing.median_ns : 0,
    };
}

/* What choosing works on. */
struct choice {
    struct daemon *daemon;
    const struct rejudge_wish *wish;
    struct rejudged_list *list;
    size_t *left_out;
};

/* Adds one that may be chosen. *why is set where it cannot be judged again. */
static int
choose_one(struct choice *c, const struct submission *sub, struct report *why,
           struct report *r)
{
    const struct device_entry *e;
    struct buf byte = {0};
    size_t bytes;

    if (store_source_part(c->daemon->store, sub->id, 0, 1, &byte, r) != 0)
        return -1;
    bytes = byte.len;
    buf_free(&byte);
    e = device_that_can(c->daemon, sub, why);
    if (bytes == 0)
        report_fail(why, "the source of submission %lld was deleted", (long long)sub->id);
    else if (e != NULL)
        add_rejudged(c->list, sub, e);
    return 0;
}

static bool
is_wished(const struct choice *c, const struct submission *sub)
{
    const struct rejudge_wish *w = c->wish;

    return may_be_chosen(sub, NULL) &&
           (w->board == NULL || strcmp(w->board, sub->board) == 0) &&
           (!w->changed ||
            strcmp(sub->meaning,
                   meanings_get(c->daemon->meanings, sub->problem, sub->board)) != 0);
}

static int
choose_of_page(struct choice *c, const struct submissions *page, struct report *r)
{
    for (size_t i = 0; i < page->count && c->list->count <= REJUDGE_MAX; i++) {
        struct report why = {0};

        if (!is_wished(c, &page->row[i]))
            continue;
        if (choose_one(c, &page->row[i], &why, r) != 0)
            return -1;
        *c->left_out += why.text[0] != '\0';
    }
    return 0;
}

/* Goes through the submissions of a problem, or of all, the newest first. */
static int
choose_by_wish(struct choice *c, struct report *r)
{
    int64_t before = INT64_MAX;
    struct submissions page;
    int rc = 0;

    while (rc == 0 && before > 0 && c->list->count <= REJUDGE_MAX) {
        if (store_list(c->daemon->store, NULL, c->wish->problem, true, before, PAGE_ROWS,
                       &page, r) != 0)
            return -1;
        rc = choose_of_page(c, &page, r);
        before = page.count == PAGE_ROWS ? page.row[page.count - 1].id : 0;
        submissions_free(&page);
    }
    return rc;
}

static bool
has_id_before(const struct rejudge_wish *w, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (w->id[k] == w->id[i])
            return true;
    return false;
}

static int
choose_by_id(struct choice *c, int64_t id, struct report *bad, struct report *r)
{
    struct submission sub;
    bool found = false;
    int rc = 0;

    if (store_get(c->daemon->store, id, &found, &sub, r) != 0)
        return -1;
    if (!found) {
        report_fail(bad, "there is no submission %lld", (long long)id);
        return 0;
    }
    if (may_be_chosen(&sub, bad))
        rc = choose_one(c, &sub, bad, r);
    submission_free(&sub);
    return rc;
}

static int
by_number(const void *a, const void *b)
{
    const struct rejudged *one = a, *other = b;

    return (one->id > other->id) - (one->id < other->id);
}

/* Why the choice cannot be judged again, in *bad; empty where it can. */
static void
check_choice(const struct choice *c, struct report *bad)
{
    if (c->list->count > REJUDGE_MAX)
        report_fail(
            bad,
            "more than %d submissions would be judged again: choose fewer, of one "
            "problem, of one device, or only those whose problem has changed",
            REJUDGE_MAX);
    else if (c->list->count == 0 && *c->left_out > 0)
        report_fail(bad, "none of %zu submissions can be judged again here",
                    *c->left_out);
    else if (c->list->count == 0)
        report_fail(bad, "no submission is to be judged again");
}

int
rejudge_choose(struct daemon *d, const struct rejudge_wish *wish,
               struct rejudged_list *out, size_t *left_out, bool *bad, struct report *r)
{
    struct rejudged_list list = {0};
    size_t others = 0;
    struct choice c = {d, wish, &list, &others};
    struct report why = {0};
    int rc = 0;

    *bad = false;
    for (size_t i = 0; rc == 0 && why.text[0] == '\0' && i < wish->id_count; i++)
        if (!has_id_before(wish, i))
            rc = choose_by_id(&c, wish->id[i], &why, r);
    if (wish->id_count == 0)
        rc = choose_by_wish(&c, r);
    if (rc == 0 && why.text[0] == '\0')
        check_choice(&c, &why);
    if (rc == 0 && why.text[0] != '\0') {
        *bad = true;
        rc = report_fail(r, "%s", why.text);
    }
    if (rc != 0) {
        rejudged_list_free(&list);
        return -1;
    }
    if (list.count > 1)
        qsort(list.row, list.count, sizeof *list.row, by_number);
    *out = list;
    *left_out = others;
    return 0;
}
