/* The API's answer with the arrays of a case of one's own: inputs, outputs, and the
 * outputs that are expected; or the report of a profile on a GPU. They are for whom the
 * submission is, and for the staff. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/daemon.h"
#include "daemon/slices.h"
#include "record/store.h"

#include <stdlib.h>

#define ARRAYS_PIECE_BYTES 262144

/* Arrays while their answer is made. They are read from the store piece by piece. */
struct shown_arrays {
    struct store *store;
    int64_t id;
    size_t next;
};

static int
shown_arrays_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_arrays *a = arg;
    struct buf piece = {0};
    bool found;

    if (store_arrays_part(a->store, a->id, a->next, ARRAYS_PIECE_BYTES, &found, &piece,
                          r) != 0)
        return -1;
    if (!found) {
        buf_free(&piece);
        return report_fail(r, "the arrays of submission %lld were dropped meanwhile",
                           (long long)a->id);
    }
    if (a->next == 0)
        buf_puts(body, "{\"arrays\":");
    buf_add(body, buf_str(&piece), piece.len);
    a->next += piece.len;
    *more = piece.len == ARRAYS_PIECE_BYTES;
    if (!*more)
        buf_puts(body, "}\n");
    buf_free(&piece);
    return 0;
}

/* Are there arrays? False after having answered. */
static bool
arrays_are_there(struct http_call *c, int64_t id)
{
    struct buf first = {0};
    struct report r = {0};
    bool found = false;
    const int rc = store_arrays_part(c->daemon->store, id, 0, 1, &found, &first, &r);

    buf_free(&first);
    if (rc != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_problem(
            c, ERROR_NO_ARRAYS, NULL,
            "submission %lld has no arrays: only a `run` with a case of its own "
            "that asks for them has, or a `profile` on a GPU, and the judge keeps those "
            "of the newest %d",
            (long long)id, ARRAYS_KEPT);
    return rc == 0 && found;
}

void
api_arrays(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_arrays_next, free};
    struct shown_arrays *a;
    struct submission sub;
    int64_t id;
    bool may;

    if (!asked_submission(c, &sub))
        return;
    id = sub.id;
    may = rights_own_source(c->daemon, &c->who, &sub);
    submission_free(&sub);
    if (!may) {
        reply_error(c, 403,
                    "submission %lld is another's: its arrays are for its owner and the "
                    "staff",
                    (long long)id);
        return;
    }
    if (!arrays_are_there(c, id))
        return;
    a = xcalloc(1, sizeof *a);
    *a = (struct shown_arrays){.store = c->daemon->store, .id = id};
    reply_slices(c, &MAKER, a);
}
