/* The API's list of accounts and unclaimed names, for the staff. It is made slice by
 * slice (slices.h), as there may be thousands. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/pages.h"
#include "daemon/slices.h"
#include "record/accounts.h"

#include <stdlib.h>
#include <string.h>

#define ACCOUNTS_LETTER 'a'
#define TOLD_AT_ONCE 16

/* A page of the list while it is made. */
struct told_accounts {
    struct store *store;
    char *after; /* the name that was told last, or the last one of the page before */
    char *part;  /* of each name; may be empty */
    int64_t left;
    bool begun, any;
};

static void
told_accounts_free(void *arg)
{
    struct told_accounts *t = arg;

    free(t->after);
    free(t->part);
    free(t);
}

static cJSON *
told_account_json(const struct account *a)
{
    cJSON *row = account_json(a);

    cJSON_AddNumberToObject(row, "submissions", (double)a->submissions);
    cJSON_AddNumberToObject(row, "created_ms", (double)a->created_ms);
    if (a->seen_ms != 0)
        cJSON_AddNumberToObject(row, "seen_ms", (double)a->seen_ms);
    return row;
}

static int
told_accounts_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct told_accounts *t = arg;
    const int64_t most = t->left < TOLD_AT_ONCE ? t->left : TOLD_AT_ONCE;
    struct accounts list;

    if (store_accounts(t->store, t->after, t->part, most, &list, r) != 0)
        return -1;
    if (!t->begun)
        buf_puts(body, "{\"accounts\":[");
    t->begun = true;
    for (size_t i = 0; i < list.count; i++) {
        buf_puts(body, t->any ? "," : "");
        buf_add_json(body, told_account_json(&list.row[i]));
        t->any = true;
    }
    t->left -= (int64_t)list.count;
    *more = t->left > 0 && (int64_t)list.count == most;
    if (*more) {
        free(t->after);
        t->after = xstrdup(list.row[list.count - 1].name);
    } else {
        buf_puts(body, "]}\n");
    }
    accounts_free(&list);
    return 0;
}

/* Adds the header for the next page, where one follows. */
static int
told_accounts_look_on(const struct told_accounts *t, struct http_call *c,
                      struct report *r)
{
    char *last = NULL;

    if (t->left == INT64_MAX)
        return 0;
    if (store_accounts_end(t->store, t->after, t->part, t->left, &last, r) != 0)
        return -1;
    if (last != NULL)
        page_add_next(c, ACCOUNTS_LETTER, last, strlen(last));
    free(last);
    return 0;
}

void
api_accounts(struct http_call *c)
{
    static const struct slices_maker MAKER = {told_accounts_next, told_accounts_free};
    const char *part = call_query(c, "q");
    char after[PAGE_KEY_MAX + 1] = "";
    struct told_accounts *t;
    struct report r = {0};
    struct page page;

    if (!page_take(c, ACCOUNTS_LETTER, INT64_MAX, &page))
        return;
    memcpy(after, page.key, page.len);
    t = xcalloc(1, sizeof *t);
    *t = (struct told_accounts){.store = c->daemon->store,
                                .after = xstrdup(after),
                                .part = xstrdup(part != NULL ? part : ""),
                                .left = page.limit};
    if (told_accounts_look_on(t, c, &r) != 0) {
        reply_failure(c, &r);
        told_accounts_free(t);
    } else {
        reply_slices(c, &MAKER, t);
    }
}
