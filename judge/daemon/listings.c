#include "daemon/listings.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hex.h"
#include "daemon/child.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/removal.h"
#include "daemon/waiting_call.h"
#include "record/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* For the watchdog over a program of ours. nvcc's limit is in used time and far below. */
#define LISTING_LIMIT_MS 7200000
#define LISTING_BYTES_MAX ((size_t)64 << 20)

struct making {
    struct making *next; /* the one that came after it */
    struct listings *all;
    struct waiting_call *call;
    char *name, *problem, *device, *filename, *source, *form;
    int64_t bytes;       /* of code, at most */
    char *folder;        /* NULL: it has not begun */
    struct child *child; /* NULL: it is not running */
    struct compile_result result;
    struct report failed; /* why there is no result */
};

struct listings {
    struct daemon *daemon;
    struct making *first;
    int running;
};

struct listings *
listings_new(struct daemon *d)
{
    struct listings *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    return all;
}

/* Takes one out of the list and frees it. Its call is answered already, or never. */
static void
making_free(struct making *m)
{
    struct making **at = &m->all->first;

    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (m->folder != NULL && !m->all->daemon->settings.keep_jobs)
        removal_add(m->all->daemon->removal, m->folder, "a listing");
    else
        free(m->folder);
    compile_result_free(&m->result);
    free(m->name);
    free(m->problem);
    free(m->device);
    free(m->filename);
    free(m->source);
    free(m->form);
    free(m);
}

void
listings_free(struct listings *all)
{
    while (all->first != NULL) {
        call_resume(all->first->call, NULL, NULL);
        making_free(all->first);
    }
    free(all);
}

bool
listings_any(const struct listings *all)
{
    return all->first != NULL;
}

/* --- the answer --------------------------------------------------------- */

/* Answers with what the compiler says of a source that does not compile. */
static void
reply_message(struct http_call *c, const struct compile_result *result)
{
    cJSON *o = cJSON_CreateObject(), *findings, *diagnostics = NULL;

    cJSON_AddBoolToObject(o, "compiles", false);
    cJSON_AddStringToObject(o, "message", result->message);
    findings = cJSON_Parse(result->findings != NULL ? result->findings : "{}");
    diagnostics = cJSON_DetachItemFromObjectCaseSensitive(findings, "diagnostics");
    if (diagnostics != NULL)
        cJSON_AddItemToObject(o, "diagnostics", diagnostics);
    cJSON_Delete(findings);
    reply_json(c, 200, o);
}

static void
making_answer(struct http_call *c, void *arg)
{
    struct making *m = arg;
    struct buf text = {0};
    char *path;

    if (report_is_set(&m->failed)) {
        reply_failure(c, &m->failed);
        return;
    }
    if (!m->result.ok) {
        reply_message(c, &m->result);
        return;
    }
    path = xasprintf("%s/" LISTING_FILE, m->folder);
    if (file_read(path, LISTING_BYTES_MAX, &text, &m->failed) != 0)
        reply_failure(c, &m->failed);
    else
        reply_text(c, 200, buf_str(&text));
    buf_free(&text);
    free(path);
}

static void listings_step(struct listings *all);

static void
making_end(struct making *m)
{
    struct listings *all = m->all;

    call_resume(m->call, making_answer, m);
    making_free(m);
    listings_step(all);
}

/* --- making it ---------------------------------------------------------- */

static void
making_line(void *arg, const char *line)
{
    (void)arg;
    (void)line; /* that it is done shows in its end */
}

static void
making_ended(void *arg, const struct child_end *end)
{
    struct making *m = arg;

    m->child = NULL;
    m->all->running--;
    if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        report_fail(&m->failed, "warpjudge-compile %s", text);
        free(text);
    } else if (compile_result_read(m->folder, &m->result, &m->failed) == 0 &&
               !m->result.ok && m->result.verdict == VERDICT_JUDGE_ERROR) {
        report_fail(&m->failed, "%s", m->result.message);
    }
    making_end(m);
}

static int
making_write(const struct making *m, struct report *r)
{
    const struct daemon *d = m->all->daemon;
    const struct device_entry *e = devices_find(&d->devices, m->device);
    const struct job job = {
        .attempt = 1,
        .sample_tests_only = true,
        .problem = m->problem,
        .problems_dir = d->config.problems,
        .device = m->device,
        .arch = e != NULL ? e->arch : NULL,
        .filename = m->filename,
        .cache_dir = d->config.cache,
        .insecure = d->settings.insecure,
    };
    char *path = xasprintf("%s/submission.cu", m->folder);
    int rc = e == NULL ? report_fail(r, "%s is gone", m->device)
                       : file_write(path, m->source, strlen(m->source), r);

    free(path);
    return rc == 0 ? job_write(m->folder, &job, r) : rc;
}

static int
making_start(struct making *m, struct report *r)
{
    const struct daemon *d = m->all->daemon;
    char *program = config_libexec(&d->config, "warpjudge-compile");
    char name[17], bytes[24];
    int rc = -1;

    hex_draw(name, 8);
    m->folder = xasprintf("%s/listing-%s", d->config.jobs, name);
    if (mkdir(m->folder, 0700) != 0) {
        report_errno(r, "the folder %s cannot be made", m->folder);
    } else if (making_write(m, r) == 0) {
        const char *argv[] = {program, "--listing", m->form, bytes, m->folder, NULL};
        const struct child_spec spec = {.name = "a listing",
                                        .argv = argv,
                                        .limit_ms = LISTING_LIMIT_MS,
                                        .cpus = devices_compiler_cpus(&d->devices),
                                        .line = making_line,
                                        .ended = making_ended,
                                        .arg = m};

        snprintf(bytes, sizeof bytes, "%lld", (long long)m->bytes);
        rc = child_start(d->children, &spec, &m->child, r);
    }
    free(program);
    return rc;
}

/* Starts as many as there may be. */
static void
listings_step(struct listings *all)
{
    struct making *m = all->first;

    while (m != NULL && all->running < LISTINGS_AT_ONCE) {
        if (m->folder != NULL) {
            m = m->next;
        } else if (making_start(m, &m->failed) == 0) {
            all->running++;
            m = m->next;
        } else {
            making_end(m); /* which goes on with the next one */
            return;
        }
    }
}

void
listings_add(struct listings *all, struct http_call *c, const char *name,
             const struct listing_request *request)
{
    struct making **end = &all->first, *m;
    int waiting = 0, own = 0;

    for (; *end != NULL; end = &(*end)->next) {
        waiting++;
        own += strcmp((*end)->name, name) == 0;
    }
    if (own >= LISTINGS_OF_ONE) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_TOO_MANY, NULL,
                      "%d listings of yours are being made already: try again later",
                      LISTINGS_OF_ONE);
        return;
    }
    if (waiting >= LISTINGS_WAITING) {
        reply_later(c, 503, "%d listings wait to be made already: try again later",
                    LISTINGS_WAITING);
        return;
    }
    m = xcalloc(1, sizeof *m);
    *m = (struct making){.all = all,
                         .name = xstrdup(name),
                         .problem = xstrdup(request->problem),
                         .device = xstrdup(request->device),
                         .filename = xstrdup(request->filename),
                         .source = xstrdup(request->source),
                         .form = xstrdup(request->form),
                         .bytes = request->bytes};
    m->call = call_wait(c);
    *end = m;
    listings_step(all);
}
