/* Lists the devices by a child, keeps the list, and chooses from it. */
#include "daemon/devices.h"

#include "base/buf.h"
#include "base/cpus.h"
#include "base/json.h"
#include "daemon/line.h"
#include "daemon/log.h"
#include "sandbox/ids.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPILERS_SHARE 3 /* of the others, one in so many is for compilers alone */

#define EMU_MEMORY_BYTES (INT64_C(2) << 30)
#define EMU_IDS 16          /* a judgement has some ten sandboxes at a time */
#define LIST_LIMIT_MS 60000 /* a cold GPU driver takes seconds to start */

struct listing {
    struct devices *devices; /* those that it lists anew */
    struct device_entry entry[DEVICES_MAX];
    int count;
    struct report report; /* it is set where there is no good answer */
    void (*after)(void *arg);
    void *arg;
};

static void
entry_free(struct device_entry *e)
{
    free(e->name);
    free(e->board);
    free(e->title);
    free(e->arch);
    free(e->driver);
    free(e->models);
    *e = (struct device_entry){0};
}

static int
parse_entry(const char *line, struct device_entry *out, struct report *r)
{
    struct device_entry e = {0};
    cJSON *o = json_parse(line, strlen(line), "warpjudge-arbiter --devices", r);
    int rc = -1;

    if (o != NULL && json_get_string(o, "name", &e.name, r) == 0 &&
        json_get_string(o, "board", &e.board, r) == 0 &&
        json_get_string(o, "title", &e.title, r) == 0 &&
        json_get_string(o, "arch", &e.arch, r) == 0 &&
        json_get_int(o, "memory_bytes", &e.memory_bytes, r) == 0) {
        const cJSON *models = cJSON_GetObjectItemCaseSensitive(o, "models");
        const cJSON *driver = cJSON_GetObjectItemCaseSensitive(o, "driver");

        e.driver = xstrdup(cJSON_IsString(driver) ? driver->valuestring : "");
        e.models = xstrdup(cJSON_IsString(models) ? models->valuestring : "");
        *out = e;
        rc = 0;
    } else {
        entry_free(&e);
    }
    cJSON_Delete(o);
    return rc;
}

static void
on_line(void *arg, const char *line)
{
    struct listing *l = arg;

    if (report_is_set(&l->report) || l->count == DEVICES_MAX)
        return;
    if (parse_entry(line, &l->entry[l->count], &l->report) == 0)
        l->count++;
}

static void
entries_free(struct device_entry *entry, int count)
{
    for (int i = 0; i < count; i++)
        entry_free(&entry[i]);
}

/* This machine judges nothing itself. Its GPUs are nobody's, and emu is the workers'. */
static void
listing_leave_to_workers(struct listing *l)
{
    int kept = 0;

    for (int i = 0; i < l->count; i++) {
        if (strcmp(l->entry[i].name, "emu") != 0) {
            entry_free(&l->entry[i]);
            continue;
        }
        l->entry[kept] = l->entry[i];
        l->entry[kept++].remote = true;
    }
    l->count = kept;
}

/* Workers may still have pairs of a board that is listed again. */
static void
listing_keep_pairs(struct listing *l, const struct device_entry *before)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->entry[i].board, before->board) == 0)
            l->entry[i].pair_gpus = before->pair_gpus;
}

/* A board of workers stays, unless this machine has got a device of the same name. */
static void
listing_keep_board(struct listing *l, struct device_entry *board)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->entry[i].name, board->name) == 0)
            return;
    if (l->count == DEVICES_MAX)
        return;
    l->entry[l->count++] = *board;
    *board = (struct device_entry){0};
}

/* Replaces the devices by those that were listed, unless the listing failed. */
static void
listing_take(struct listing *l)
{
    struct devices *d = l->devices;

    d->trouble = l->report;
    if (report_is_set(&l->report)) {
        entries_free(l->entry, l->count);
        return;
    }
    if (d->workers_only)
        listing_leave_to_workers(l);
    for (int i = 0; i < d->count; i++) {
        listing_keep_pairs(l, &d->entry[i]);
        if (d->entry[i].remote)
            listing_keep_board(l, &d->entry[i]);
    }
    entries_free(d->entry, d->count);
    memcpy(d->entry, l->entry, sizeof d->entry);
    d->count = l->count;
    d->generation++;
}

static void
on_ended(void *arg, const struct child_end *end)
{
    struct listing *l = arg;

    if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        report_fail(&l->report, "the devices cannot be listed: warpjudge-arbiter %s",
                    text);
        free(text);
    } else if (l->count == 0) {
        report_fail(&l->report, "warpjudge-arbiter --devices lists none, not even emu");
    }
    listing_take(l);
    l->devices->listing = NULL;
    l->after(l->arg);
    free(l);
}

static int
start_listing(struct devices *d, const struct config *c, struct children *children,
              void (*after)(void *arg), void *arg, struct report *r)
{
    struct listing *l = xcalloc(1, sizeof *l);
    char *program = config_libexec(c, "warpjudge-arbiter");
    const char *argv[] = {program, "--devices", NULL};
    struct child_spec spec = {.name = "devices",
                              .argv = argv,
                              .limit_ms = LIST_LIMIT_MS,
                              .line = on_line,
                              .ended = on_ended,
                              .arg = l};
    struct child *child;
    int rc;

    *l = (struct listing){.devices = d, .after = after, .arg = arg};
    rc = child_start(children, &spec, &child, r);
    free(program);
    if (rc == 0)
        d->listing = l;
    else
        free(l);
    return rc;
}

static void
break_loop(void *base)
{
    event_base_loopbreak(base);
}

int
devices_load(struct devices *d, const struct config *c, struct event_base *base,
             struct children *children, struct report *r)
{
    d->cpus = cpus_allowed();
    if (start_listing(d, c, children, break_loop, base, r) != 0)
        return -1;
    if (event_base_dispatch(base) != 0)
        return report_fail(r, "the event loop failed while the devices were listed");
    return d->count > 0 ? 0 : report_fail(r, "%s", d->trouble.text);
}

void
devices_refresh(struct devices *d, const struct config *c, struct children *children,
                void (*ended)(void *arg), void *arg)
{
    struct report r = {0};

    if (d->listing == NULL && start_listing(d, c, children, ended, arg, &r) != 0)
        log_line("the devices cannot be listed: %s", r.text);
}

bool
devices_refreshing(const struct devices *d)
{
    return d->listing != NULL;
}

void
devices_free(struct devices *d)
{
    if (d->listing != NULL)
        entries_free(d->listing->entry, d->listing->count);
    free(d->listing);
    d->listing = NULL;
    entries_free(d->entry, d->count);
    d->count = 0;
}

int
devices_spare_cpus(const struct devices *d)
{
    int gpus = 0;

    for (int i = 0; i < d->count; i++)
        gpus += strncmp(d->entry[i].name, "cuda:", 5) == 0;
    return cpus_beside_gpus(d->cpus, gpus);
}

int
devices_compiler_cpus(const struct devices *d)
{
    const int spare = devices_spare_cpus(d);

    return spare < d->cpus ? spare : 0;
}

int
devices_emu_cpus(const struct devices *d)
{
    const int spare = devices_compiler_cpus(d);

    return spare - spare / COMPILERS_SHARE;
}

int
devices_emu_width(const struct devices *d)
{
    const int64_t memory =
        (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / EMU_MEMORY_BYTES;
    int64_t width = devices_spare_cpus(d) / 2;

    if (width > memory)
        width = memory;
    if (ids_active() && width > ids_count() / EMU_IDS)
        width = ids_count() / EMU_IDS;
    if (width > LINE_WIDTH_MAX)
        width = LINE_WIDTH_MAX;
    return width > 1 ? (int)width : 1;
}

const struct device_entry *
devices_find(const struct devices *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].name, name) == 0)
            return &d->entry[i];
    return NULL;
}

bool
devices_is_here(const struct devices *d, const char *name)
{
    const struct device_entry *e = devices_find(d, name);

    return e != NULL ? !e->remote : devices_is_own_name(name);
}

bool
devices_is_own_name(const char *name)
{
    return strcmp(name, "emu") == 0 || strncmp(name, "cuda:", 5) == 0;
}

/* How many boards the workers of this token were the first to name. */
static int
devices_of_token(const struct devices *d, int64_t token)
{
    int count = 0;

    for (int i = 0; i < d->count; i++)
        count += d->entry[i].remote && d->entry[i].token == token;
    return count;
}

int
devices_add_board(struct devices *d, const char *board, const char *arch,
                  int64_t memory_bytes, int64_t token, struct report *r)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].board, board) == 0)
            return 0;
    if (token != 0 && devices_of_token(d, token) >= BOARDS_OF_TOKEN_MAX)
        return report_fail(r,
                           "workers with this token have named %d boards that nobody "
                           "else has, which is the most: \"%s\" is one too many until "
                           "the judge is started again",
                           BOARDS_OF_TOKEN_MAX, board);
    if (d->count == DEVICES_MAX)
        return report_fail(r,
                           "the judge has %d devices, which is the most: the board "
                           "\"%s\" is one too many until it is started again",
                           DEVICES_MAX, board);
    d->entry[d->count++] = (struct device_entry){.name = xstrdup(board),
                                                 .board = xstrdup(board),
                                                 .title = xstrdup(board),
                                                 .arch = xstrdup(arch),
                                                 .models = xstrdup(""),
                                                 .driver = xstrdup(""),
                                                 .memory_bytes = memory_bytes,
                                                 .remote = true,
                                                 .token = token};
    d->generation++;
    return 0;
}

void
devices_note_pair(struct devices *d, const char *board)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].board, board) == 0) {
            d->generation += d->entry[i].pair_gpus == 0;
            d->entry[i].pair_gpus = 2;
        }
}

const struct device_entry *
devices_partner(const struct devices *d, const struct device_entry *e)
{
    const int at = (int)(e - d->entry);

    for (int i = 1; i < d->count; i++) {
        const struct device_entry *other = &d->entry[(at + i) % d->count];

        if (strcmp(other->board, e->board) == 0)
            return other;
    }
    return NULL;
}

int
devices_take(const struct devices *d, const struct device_entry *e,
             const struct problem *p, struct report *r)
{
    int alike = 0;

    for (int i = 0; i < d->count; i++)
        alike += strcmp(d->entry[i].board, e->board) == 0;
    if (alike < e->pair_gpus)
        alike = e->pair_gpus;
    if (e->remote && p->gpus > alike && strcmp(e->name, "emu") != 0)
        return report_fail(r,
                           "%s is not judged on %s: it needs %d GPUs of one kind, and no "
                           "worker for it has had so many",
                           p->slug, e->name, p->gpus);
    return problem_runs_on(p, e->name, e->arch, alike, r);
}

char *
devices_names(const struct devices *d)
{
    struct buf b = {0};

    for (int i = 0; i < d->count; i++)
        buf_printf(&b, "%s%s", i > 0 ? ", " : "", d->entry[i].name);
    return buf_take(&b);
}
