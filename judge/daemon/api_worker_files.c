/* The API's answers to workers that fetch a file: what another worker has compiled, and
 * the problem that is judged. Both may have megabytes, and are sent piece by piece. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/archives.h"
#include "daemon/attempt.h"
#include "daemon/attempt_lease.h"
#include "daemon/daemon.h"
#include "daemon/rights.h"
#include "daemon/slices.h"
#include "daemon/workers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 65536 /* takes some 20 us to read from the page cache */

/* --- what was compiled --------------------------------------------------- */

/* An artefact while it is sent, piece by piece. */
struct sent_artefact {
    int fd;
    size_t left; /* bytes that were not read yet */
};

static int
sent_artefact_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct sent_artefact *s = arg;
    char piece[PIECE_BYTES];
    const size_t wanted = s->left < sizeof piece ? s->left : sizeof piece;
    ssize_t n = 0;

    if (wanted > 0 && (n = read(s->fd, piece, wanted)) < 0 && errno != EINTR)
        return report_errno(r, "an artefact cannot be read");
    if (wanted > 0 && n == 0)
        return report_fail(r, "an artefact has become shorter while it was sent");
    if (n > 0) {
        buf_add(body, piece, (size_t)n);
        s->left -= (size_t)n;
    }
    *more = s->left > 0;
    return 0;
}

static void
sent_artefact_free(void *arg)
{
    struct sent_artefact *s = arg;

    close(s->fd);
    free(s);
}

/* Opens what is to be sent. NULL and a report where it is not there as it was stored. */
static struct sent_artefact *
sent_artefact_open(const struct attempt *a, struct report *r)
{
    const int fd = lease_open_artefact(a, r);
    struct sent_artefact *s;
    struct stat st;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
        (uintmax_t)st.st_size > ARTEFACT_TEXT_MAX) {
        report_fail(r, "the artefact of %s is not what was stored", a->label);
        close(fd);
        return NULL;
    }
    s = xcalloc(1, sizeof *s);
    *s = (struct sent_artefact){.fd = fd, .left = (size_t)st.st_size};
    return s;
}

/* Only who judges the attempt gets what was compiled for it. */
void
api_worker_artefact(struct http_call *c)
{
    static const struct slices_maker MAKER = {sent_artefact_next, sent_artefact_free};
    const struct attempt *a =
        workers_find_artefact(c->daemon->workers, c->arg[0], c->who.token);
    struct sent_artefact *s;
    struct report r = {0};

    if (rights_work_as(&c->who, WORKER_JUDGES, &r) != 0) {
        reply_problem(c, ERROR_FORBIDDEN, NULL, "%s", r.text);
        return;
    }
    if (a == NULL) {
        reply_problem(c, ERROR_NO_ARTEFACT, NULL,
                      "no worker with this token judges what has this hash");
        return;
    }
    s = sent_artefact_open(a, &r);
    if (s != NULL)
        reply_slices(c, &MAKER, s);
    else
        reply_later(c, 503, "%s", r.text);
}

/* --- the problem --------------------------------------------------------- */

/* A problem's archive while it is sent, piece by piece. */
struct sent_problem {
    struct archive_text *archive;
    size_t sent; /* bytes of its text */
};

static int
sent_problem_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct sent_problem *s = arg;
    const struct buf *text = &s->archive->text;
    const size_t left = text->len - s->sent;
    const size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES;

    (void)r;
    buf_add(body, text->data + s->sent, piece);
    s->sent += piece;
    *more = s->sent < text->len;
    return 0;
}

static void
sent_problem_free(void *arg)
{
    struct sent_problem *s = arg;

    archive_text_let_go(s->archive);
    free(s);
}

void
api_worker_problem(struct http_call *c)
{
    static const struct slices_maker MAKER = {sent_problem_next, sent_problem_free};
    struct archive_text *archive = archives_take_text(c->daemon->archives, c->arg[0]);
    struct sent_problem *s;

    if (archive == NULL) {
        reply_problem(c, ERROR_NO_ARCHIVE, NULL,
                      "no problem has this hash, or it has changed since");
        return;
    }
    s = xcalloc(1, sizeof *s);
    s->archive = archive;
    reply_slices(c, &MAKER, s);
}
