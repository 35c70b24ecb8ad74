#include "daemon/previews.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "daemon/child.h"
#include "daemon/daemon.h"
#include "daemon/events.h"
#include "daemon/fingerprint.h"
#include "daemon/loop_watch.h"
#include "daemon/specs.h"
#include "daemon/waiting_call.h"

#include <dirent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOOK_MS 150          /* between two looks at the folders that are waited for */
#define CHECK_LIMIT_MS 60000 /* for the watchdog over the check */
#define FINDINGS_MAX 200     /* that are told of */
#define STATEMENT_BYTES_MAX ((size_t)1 << 20)
#define VERSION_CHARS 16

/* A preview that is made. */
struct showing {
    struct showing *next;
    struct previews *all;
    struct waiting_call *call;
    char *slug;
    char version[VERSION_CHARS + 1]; /* before the files were read */
    cJSON *findings;
    struct report failed; /* why there are none */
};

/* A call that waits for a change. */
struct awaited {
    struct awaited *next;
    struct waiting_call *call;
    char *slug;
    char seen[VERSION_CHARS + 1], last[VERSION_CHARS + 1]; /* at the look before */
    uint64_t until_ns;                                     /* CLOCK_MONOTONIC */
};

struct previews {
    struct daemon *daemon;
    unsigned char key[crypto_generichash_KEYBYTES]; /* of this run */
    struct showing *showing;
    struct awaited *awaited;
    int shown, waiting; /* how many of both there are */
    struct event *look;
};

/* --- keys and versions -------------------------------------------------- */

static void
preview_key(const struct previews *all, const char *slug,
            char text[PREVIEW_KEY_CHARS + 1])
{
    unsigned char hash[crypto_generichash_BYTES];

    crypto_generichash(hash, sizeof hash, (const unsigned char *)slug, strlen(slug),
                       all->key, sizeof all->key);
    hex_write(text, hash, PREVIEW_KEY_CHARS / 2);
}

bool
previews_has_key(const struct previews *all, const char *slug, const char *said)
{
    char text[PREVIEW_KEY_CHARS + 1];

    preview_key(all, slug, text);
    return said != NULL && strlen(said) == PREVIEW_KEY_CHARS &&
           sodium_memcmp(text, said, PREVIEW_KEY_CHARS) == 0;
}

static char *
preview_folder(const struct previews *all, const char *slug)
{
    return xasprintf("%s/%s", specs_dir(all->daemon->specs), slug);
}

/* A number that tells the folder's files from what they were, in whatever order the
 * system lists them. */
static void
preview_version(const struct previews *all, const char *slug,
                char text[VERSION_CHARS + 1])
{
    char *folder = preview_folder(all, slug);
    DIR *dir = opendir(folder);
    const struct dirent *e;
    uint64_t sum = 0;
    struct stat st;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        uint64_t file = fingerprint(0, e->d_name, strlen(e->d_name));

        if (fstatat(dirfd(dir), e->d_name, &st, 0) != 0 || !S_ISREG(st.st_mode))
            continue;
        file = fingerprint(file, &st.st_mtim, sizeof st.st_mtim);
        file = fingerprint(file, &st.st_size, sizeof st.st_size);
        sum += fingerprint(file, &st.st_ino, sizeof st.st_ino);
    }
    if (dir != NULL)
        closedir(dir);
    free(folder);
    snprintf(text, VERSION_CHARS + 1, "%0*llx", VERSION_CHARS, (unsigned long long)sum);
}

/* --- what a preview shows ----------------------------------------------- */

/* Adds the statement as it is on the disk, whatever the spec says. */
static void
preview_add_statement(cJSON *o, const char *folder)
{
    char *path = xasprintf("%s/statement.md", folder);
    struct buf text = {0}, clean = {0};
    struct report unused = {0};

    /* What is wrong with the file is a finding. */
    if (file_read(path, STATEMENT_BYTES_MAX, &text, &unused) == 0)
        utf8_clean(&clean, buf_str(&text));
    cJSON_AddStringToObject(o, "statement", buf_str(&clean));
    buf_free(&clean);
    buf_free(&text);
    free(path);
}

static void
showing_answer(struct http_call *c, void *arg)
{
    struct showing *s = arg;
    char key[PREVIEW_KEY_CHARS + 1];
    struct report unused = {0};
    const struct problem *p;
    char *folder, *page;
    bool exists;
    cJSON *o;

    if (report_is_set(&s->failed)) {
        reply_failure(c, &s->failed);
        return;
    }
    o = cJSON_CreateObject();
    folder = preview_folder(s->all, s->slug);
    preview_key(s->all, s->slug, key);
    page = xasprintf("/problems/%s/preview?key=%s", s->slug, key);
    p = specs_get(c->daemon->specs, s->slug, &exists, &unused);
    cJSON_AddStringToObject(o, "slug", s->slug);
    cJSON_AddStringToObject(o, "title",
                            p != NULL && p->title != NULL ? p->title : s->slug);
    cJSON_AddItemToObject(o, "findings", s->findings);
    s->findings = NULL;
    preview_add_statement(o, folder);
    cJSON_AddStringToObject(o, "version", s->version);
    cJSON_AddStringToObject(o, "page", page);
    free(page);
    free(folder);
    reply_json(c, 200, o);
}

static void
showing_free(struct showing *s)
{
    struct showing **at = &s->all->showing;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    s->all->shown--;
    cJSON_Delete(s->findings);
    free(s->slug);
    free(s);
}

static void
showing_line(void *arg, const char *line)
{
    struct showing *s = arg;
    cJSON *finding =
        cJSON_GetArraySize(s->findings) < FINDINGS_MAX ? cJSON_Parse(line) : NULL;

    if (finding != NULL)
        cJSON_AddItemToArray(s->findings, finding);
}

static void
showing_ended(void *arg, const struct child_end *end)
{
    struct showing *s = arg;

    if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        report_fail(&s->failed, "warpjudge-compile %s", text);
        free(text);
    }
    call_resume(s->call, showing_answer, s);
    showing_free(s);
}

void
previews_show(struct previews *all, struct http_call *c, const char *slug)
{
    struct daemon *d = all->daemon;
    char *program = config_libexec(&d->config, "warpjudge-compile");
    const char *argv[] = {program, "--spec", specs_dir(d->specs), slug, NULL};
    struct showing *s;
    struct child_spec spec = {.name = "a preview",
                              .argv = argv,
                              .limit_ms = CHECK_LIMIT_MS,
                              .cpus = devices_compiler_cpus(&d->devices),
                              .line = showing_line,
                              .ended = showing_ended};
    struct child *unused;
    struct report r = {0};

    if (all->shown >= PREVIEWS_AT_ONCE) {
        reply_later(c, 503, "%d previews are being made already: try again later",
                    PREVIEWS_AT_ONCE);
        free(program);
        return;
    }
    s = xcalloc(1, sizeof *s);
    *s = (struct showing){.next = all->showing,
                          .all = all,
                          .slug = xstrdup(slug),
                          .findings = cJSON_CreateArray()};
    all->showing = s;
    all->shown++;
    preview_version(all, slug, s->version);
    s->call = call_wait(c);
    spec.arg = s;
    if (child_start(d->children, &spec, &unused, &r) != 0) {
        s->failed = r;
        call_resume(s->call, showing_answer, s);
        showing_free(s);
    }
    free(program);
}

/* --- changes ------------------------------------------------------------ */

static void
awaited_answer(struct http_call *c, void *arg)
{
    const bool *changed = arg;
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    evhttp_add_header(headers, "Content-Type", EVENTS_TYPE);
    evhttp_add_header(headers, "Cache-Control", "no-store");
    reply_text(c, 200,
               *changed ? "retry: 100\n\nevent: changed\ndata: {}\n\n"
                        : "retry: 100\n\n");
}

/* Takes one out of the list, answers and frees it. */
static void
awaited_end(struct previews *all, struct awaited *a, bool changed)
{
    struct awaited **at = &all->awaited;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    all->waiting--;
    call_resume(a->call, awaited_answer, &changed);
    free(a->slug);
    free(a);
}

static void
previews_look_later(struct previews *all)
{
    static const struct timeval soon = {.tv_usec = LOOK_MS * 1000};

    if (all->awaited != NULL && !evtimer_pending(all->look, NULL) &&
        evtimer_add(all->look, &soon) != 0)
        die(4, "out of memory");
}

static void
previews_on_look(evutil_socket_t fd, short what, void *arg)
{
    struct previews *all = arg;
    const uint64_t now = now_ns();
    char version[VERSION_CHARS + 1];
    LOOP_HANDLER("a look at previews");

    (void)fd;
    (void)what;
    for (struct awaited *a = all->awaited, *next; a != NULL; a = next) {
        next = a->next;
        preview_version(all, a->slug, version);
        /* What an editor is still writing changes between two looks. */
        if (strcmp(version, a->seen) != 0 && strcmp(version, a->last) == 0)
            awaited_end(all, a, true);
        else if (now >= a->until_ns)
            awaited_end(all, a, false);
        else
            memcpy(a->last, version, sizeof a->last);
    }
    previews_look_later(all);
}

void
previews_wait(struct previews *all, struct http_call *c, const char *slug,
              const char *seen)
{
    struct awaited *a;
    struct report r = {0};

    if (all->waiting >= PREVIEW_WAITS_MAX || server_may_stream(c, &r) != 0) {
        reply_later(c, 503, "too many wait for changes of problems: try again later");
        return;
    }
    a = xcalloc(1, sizeof *a);
    *a = (struct awaited){.next = all->awaited,
                          .slug = xstrdup(slug),
                          .until_ns = now_ns() + PREVIEW_WAIT_MS * UINT64_C(1000000)};
    snprintf(a->seen, sizeof a->seen, "%s", seen);
    all->awaited = a;
    all->waiting++;
    a->call = call_wait(c);
    previews_look_later(all);
}

/* --- all of them -------------------------------------------------------- */

struct previews *
previews_new(struct daemon *d)
{
    struct previews *all = xcalloc(1, sizeof *all);

    all->daemon = d;
    randombytes_buf(all->key, sizeof all->key);
    all->look = evtimer_new(d->base, previews_on_look, all);
    if (all->look == NULL)
        die(4, "out of memory");
    return all;
}

bool
previews_any(const struct previews *all)
{
    return all->showing != NULL || all->awaited != NULL;
}

void
previews_end(struct previews *all)
{
    while (all->awaited != NULL)
        awaited_end(all, all->awaited, false);
}

void
previews_free(struct previews *all)
{
    if (all == NULL)
        return;
    for (struct showing *s = all->showing, *next; s != NULL; s = next) {
        next = s->next;
        call_resume(s->call, NULL, NULL);
        showing_free(s);
    }
    for (struct awaited *a = all->awaited, *next; a != NULL; a = next) {
        next = a->next;
        call_resume(a->call, NULL, NULL);
        free(a->slug);
        free(a);
    }
    event_free(all->look);
    explicit_bzero(all->key, sizeof all->key);
    free(all);
}
