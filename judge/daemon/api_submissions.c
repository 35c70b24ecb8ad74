/* The API's answers about submissions: showing them, ending them. */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/json_text.h"
#include "daemon/daemon.h"
#include "daemon/due_json.h"
#include "daemon/hiding.h"
#include "daemon/pages.h"
#include "daemon/queue.h"
#include "daemon/request.h"
#include "daemon/slices.h"
#include "record/rank.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_DEFAULT 50
#define LIST_LETTER 's'
#define SOURCE_PIECE_BYTES 32768
#define LIST_PAGE 16 /* rows that are read at once */

/* --- showing them ------------------------------------------------------- */

/* Takes out of a submission what quotes its source, or what it printed. */
static void
submission_conceal(struct submission *sub)
{
    free(sub->result.message);
    sub->result.message = xstrdup("");
    sub->concealed = true;
}

/* A list of submissions while its answer is made. Its pages go from newer to older ones,
 * so that one that comes meanwhile does not move them. */
struct shown_list {
    struct daemon *daemon;
    struct identity who;
    char *user, *problem; /* NULL: any */
    bool graded;          /* with what is graded in bulk */
    int64_t before;
    int left;         /* how many more may follow */
    bool head, begun; /* the beginning, and a row, were told */
};

static void
shown_list_free(void *arg)
{
    struct shown_list *l = arg;

    free(l->user);
    free(l->problem);
    free(l);
}

static int
shown_list_add(struct shown_list *l, const struct submissions *page, struct buf *body,
               struct report *r)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct submission *sub = &page->row[i];
        cJSON *row;
        bool hides;

        l->before = sub->id;
        if (hiding_hides_work(l->daemon->hiding, &l->who, sub->problem, sub->user, &hides,
                              r) != 0)
            return -1;
        if (hides)
            continue;
        if (!rights_own_source(l->daemon, &l->who, &page->row[i]))
            submission_conceal(&page->row[i]);
        row = submission_json(l->daemon, &page->row[i], false, r);
        if (row == NULL)
            return -1;
        buf_puts(body, l->begun ? "," : "");
        buf_add_json(body, row);
        l->begun = true;
    }
    return 0;
}

static int
shown_list_read(struct shown_list *l, struct buf *body, bool *more, struct report *r)
{
    const int most = l->left < LIST_PAGE ? l->left : LIST_PAGE;
    struct submissions page;
    int rc;

    if (store_list(l->daemon->store, l->user, l->problem, l->graded, l->before, most,
                   &page, r) != 0)
        return -1;
    /* A slice must have something to send, and JSON may have spaces anywhere. */
    buf_puts(body, l->head ? " " : "{\"submissions\":[");
    l->head = true;
    rc = shown_list_add(l, &page, body, r);
    l->left -= (int)page.count;
    *more = l->left > 0 && (int)page.count == most;
    submissions_free(&page);
    if (!*more)
        buf_puts(body, "]}\n");
    return rc;
}

static int
shown_list_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_list *l = arg;
    int rc;

    if (store_read_begin(l->daemon->store, r) != 0)
        return -1;
    rc = shown_list_read(l, body, more, r);
    store_read_end(l->daemon->store);
    return rc;
}

/* Sets whose submissions are listed, NULL for anybody's: of a problem that is hidden from
 * who asks, their own ones only. Also how many pages there are says nothing of others'.
 * False after having answered. */
static bool
take_listed_user(struct http_call *c, const char *problem, const char **user)
{
    struct report r = {0};
    bool hides = false;

    *user = call_query(c, "user");
    if (problem != NULL &&
        hiding_hides(c->daemon->hiding, &c->who, problem, &hides, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (hides && *user == NULL)
        *user = c->who.name;
    if (hides && !rights_is_user(&c->who, *user))
        *user = ""; /* nobody's */
    return true;
}

void
api_submissions(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_list_next, shown_list_free};
    const char *problem = call_query(c, "problem"), *user;
    struct report r = {0};
    struct shown_list *l;
    int64_t before, last;
    struct page page;
    char key[24];
    bool graded;

    if (!page_take(c, LIST_LETTER, LIST_DEFAULT, &page) ||
        !page_number(c, &page, &before) || !take_listed_user(c, problem, &user))
        return;
    graded = rights_see_graded(&c->who, user);
    if (store_list_end(c->daemon->store, user, problem, graded, before, page.limit, &last,
                       &r) != 0) {
        reply_failure(c, &r);
        return;
    }
    if (last != 0)
        page_add_next(c, LIST_LETTER, key,
                      (size_t)snprintf(key, sizeof key, "%lld", (long long)last));
    l = xcalloc(1, sizeof *l);
    *l = (struct shown_list){.daemon = c->daemon,
                             .who = c->who,
                             .user = user != NULL ? xstrdup(user) : NULL,
                             .problem = problem != NULL ? xstrdup(problem) : NULL,
                             .graded = graded,
                             .before = before,
                             .left = (int)page.limit};
    reply_slices(c, &MAKER, l);
}

bool
asked_submission(struct http_call *c, struct submission *out)
{
    struct report r = {0};
    int64_t id;
    bool found = false, hides = false;

    if (!request_number(c->arg[0], 1, INT64_MAX, &id)) {
        reply_problem(c, ERROR_INVALID_ADDRESS, NULL,
                      "\"%.40s\" is not the number of a submission", c->arg[0]);
        return false;
    }
    if (store_get(c->daemon->store, id, &found, out, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (found && hiding_hides_work(c->daemon->hiding, &c->who, out->problem, out->user,
                                   &hides, &r) != 0) {
        submission_free(out);
        reply_failure(c, &r);
        return false;
    }
    hides = hides || (found && profile_is_graded(out->profile) &&
                      !rights_see_graded(&c->who, out->user));
    if (hides) {
        submission_free(out);
        found = false;
    }
    if (!found)
        reply_problem(c, ERROR_NO_SUCH_SUBMISSION, NULL, "there is no submission %lld",
                      (long long)id);
    return found;
}

void
api_submission(struct http_call *c)
{
    struct submission sub;
    struct report r = {0};
    cJSON *o = NULL;
    bool may = false;

    if (!asked_submission(c, &sub))
        return;
    if (rights_see_source(c->daemon, &c->who, &sub, &may, &r) == 0) {
        if (!may)
            submission_conceal(&sub);
        o = submission_json(c->daemon, &sub, may, &r);
        if (o != NULL && !sub.sample_tests_only &&
            due_json_add(o, c->daemon, &c->who, sub.user, sub.problem, sub.created_ms,
                         &r) != 0) {
            cJSON_Delete(o);
            o = NULL;
        }
    }
    if (o != NULL && sub.done && rights_see_equal(&c->who) &&
        api_add_equal(c->daemon, o, &sub, &r) != 0) {
        cJSON_Delete(o);
        o = NULL;
    }
    submission_free(&sub);
    if (o != NULL)
        reply_json(c, 200, o);
    else
        reply_failure(c, &r);
}

bool
asked_source(struct http_call *c, struct submission *out)
{
    struct report r = {0};
    bool may = false;

    if (!asked_submission(c, out))
        return false;
    if (rights_see_source(c->daemon, &c->who, out, &may, &r) != 0)
        reply_failure(c, &r);
    else if (!may)
        reply_error(c, 403,
                    "submission %lld is another's: its source and its course are for its "
                    "owner and the staff%s",
                    (long long)out->id,
                    rights_sources(c->daemon, out->problem) == SOURCES_SOLVED
                        ? ", and for who has solved the problem"
                        : "");
    if (!may)
        submission_free(out);
    return may;
}

/* A source while its answer is made. It is read from the store piece by piece. */
struct shown_source {
    struct store *store;
    int64_t id;
    char *head; /* the object up to the source; NULL once it is sent */
    size_t next;
};

static void
shown_source_free(void *arg)
{
    struct shown_source *source = arg;

    free(source->head);
    free(source);
}

static int
shown_source_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_source *source = arg;
    struct buf piece = {0};

    if (store_source_part(source->store, source->id, source->next, SOURCE_PIECE_BYTES,
                          &piece, r) != 0)
        return -1;
    if (source->head != NULL)
        buf_puts(body, source->head);
    free(source->head);
    source->head = NULL;
    json_add_escaped(body, buf_str(&piece), piece.len);
    source->next += piece.len;
    *more = piece.len == SOURCE_PIECE_BYTES;
    if (!*more)
        buf_puts(body, "\"}\n");
    buf_free(&piece);
    return 0;
}

void
api_source(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_source_next, shown_source_free};
    struct submission sub;
    struct shown_source *source;
    struct buf head = {0};

    if (!asked_source(c, &sub))
        return;
    buf_puts(&head, "{\"filename\":");
    buf_add_json(&head, cJSON_CreateString(sub.filename));
    buf_puts(&head, ",\"source\":\"");
    source = xcalloc(1, sizeof *source);
    *source = (struct shown_source){
        .store = c->daemon->store, .id = sub.id, .head = buf_take(&head)};
    submission_free(&sub);
    reply_slices(c, &MAKER, source);
}

/* --- ending one --------------------------------------------------------- */

/* Answers with a submission that was just cancelled, or was cancelled before. */
static void
reply_cancelled(struct http_call *c, int64_t id)
{
    struct submission sub;
    struct report r = {0};
    bool found = false;
    cJSON *o = NULL;

    if (store_get(c->daemon->store, id, &found, &sub, &r) == 0 && found) {
        if (!rights_own_source(c->daemon, &c->who, &sub))
            submission_conceal(&sub);
        o = submission_json(c->daemon, &sub, false, &r);
        submission_free(&sub);
    }
    if (o != NULL)
        reply_json(c, 200, o);
    else
        reply_failure(c, &r);
}

static void
cancel_submission(struct http_call *c, const struct submission *sub)
{
    struct report r = {0};
    char *message;
    int rc;

    if (sub->done && sub->result.verdict != VERDICT_CANCELLED) {
        reply_problem(c, ERROR_JUDGED_ALREADY, NULL,
                      "submission %lld is judged already (%s)", (long long)sub->id,
                      verdict_text(sub->result.verdict));
        return;
    }
    message = xasprintf("%s has cancelled it",
                        c->who.name[0] != '\0' ? c->who.name : sub->user);
    rc = queue_cancel(c->daemon->queue, sub->id, message, &r);
    free(message);
    if (rc != 0)
        reply_later(c, 503, "%s", r.text);
    else
        reply_cancelled(c, sub->id);
}

void
api_cancel(struct http_call *c)
{
    const char *user = NULL;
    const struct request_field fields[] = {{"user", &user, NULL}};
    struct submission sub;
    struct error_about about;
    struct report r = {0};
    size_t len = 0;
    const char *body = call_body(c, &len);
    cJSON *object = request_object(len > 0 ? body : "{}", len > 0 ? len : 2, fields, 1,
                                   "a cancellation", &about, &r);
    int status;

    if (object != NULL)
        error_about_member(&about, ERROR_INVALID_MEMBER, "user");
    if (object == NULL || (user != NULL && user_name_check(user, &r) != 0)) {
        reply_problem(c, about.code, about.field, "%s", r.text);
    } else if (asked_submission(c, &sub)) {
        status = rights_cancel(c->daemon, &c->who, user, &sub, &r);
        if (status != 0)
            reply_refused(c, status, &r);
        else
            cancel_submission(c, &sub);
        submission_free(&sub);
    }
    cJSON_Delete(object);
}
