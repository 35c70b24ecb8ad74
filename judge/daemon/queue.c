#include "daemon/judgement.h"

#include "core/buf.h"
#include "daemon/log.h"
#include "daemon/streams.h"
#include "sandbox/cgroup.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Compiled submissions lie on the disk until their device is free: so many per device
 * wait compiled, the rest waits as source. */
#define COMPILE_AHEAD 16
#define RETRY_AFTER_S 2

/* The submissions of one device that do not only leave, in the order of their ids. It is
 * kept for devices that are gone as well: a few dozen bytes for each name there ever was.
 */
struct line {
    struct line *next;
    char *device;
    const struct judgement *first, *second;
    const struct judgement *holder; /* whose arbiter has the device, or is the next to get
                                       it; step_devices' */
    bool being_left; /* an arbiter that has nothing to do there any more is still ending;
                        step_devices' */
    int waiting;     /* not RUNNING yet */
};

struct queue {
    struct daemon *daemon;
    struct judgement *first, **end;
    struct line *lines;
    int cpus;
    struct event *retry; /* after trouble of the machine's */
    char *trouble;
    bool stepping, again; /* queue_step is under way; it must go round once more */
};

/* --- the machine's troubles --------------------------------------------- */

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    queue_step(arg);
}

static void
trouble(struct queue *q, const struct report *r)
{
    static const struct timeval after = {.tv_sec = RETRY_AFTER_S};

    if (q->trouble == NULL || strcmp(q->trouble, r->text) != 0) {
        log_line("cannot go on, trying again every %d s: %s", RETRY_AFTER_S, r->text);
        free(q->trouble);
        q->trouble = xstrdup(r->text);
    }
    evtimer_add(q->retry, &after);
}

static void
no_trouble(struct queue *q)
{
    if (q->trouble != NULL)
        log_line("going on");
    free(q->trouble);
    q->trouble = NULL;
}

/* --- what can be done now ----------------------------------------------- */

static struct line *
line_of(struct queue *q, const char *device)
{
    struct line *line = q->lines;

    while (line != NULL && strcmp(line->device, device) != 0)
        line = line->next;
    if (line == NULL) {
        line = xcalloc(1, sizeof *line);
        *line = (struct line){.next = q->lines, .device = xstrdup(device)};
        q->lines = line;
    }
    return line;
}

/* How many are before each one in its line; one pass, because thousands may wait. */
static void
count_lines(struct queue *q)
{
    for (struct line *line = q->lines; line != NULL; line = line->next) {
        line->first = line->second = NULL;
        line->waiting = 0;
    }
    for (struct judgement *j = q->first; j != NULL; j = j->next) {
        if (judgement_is_leaving(j))
            continue;
        if (j->line->first == NULL)
            j->line->first = j;
        else if (j->line->second == NULL)
            j->line->second = j;
        j->ahead = j->line->waiting;
        j->line->waiting += j->phase < RUNNING;
    }
}

static int
compilers(const struct queue *q)
{
    int count = 0;

    for (const struct judgement *j = q->first; j != NULL; j = j->next)
        count += j->compiler != NULL;
    return count;
}

/* Removes those that are through. An attempt that follows keeps its place: it is the
 * oldest of its device. */
static void
step_drained(struct queue *q)
{
    for (struct judgement **at = &q->first; *at != NULL;) {
        struct judgement *j = *at;

        if (j->phase == DRAINING && j->compiler == NULL && j->arbiter == NULL &&
            !judgement_drained(j)) {
            *at = j->next;
            if (j->next == NULL)
                q->end = at;
            judgement_free(j);
        } else {
            at = &j->next;
        }
    }
}

static int
step_saves(struct queue *q, struct report *r)
{
    for (struct judgement *j = q->first; j != NULL; j = j->next)
        if (j->phase == UNSAVED && judgement_save(j, r) != 0)
            return -1;
    return 0;
}

static void
give_up_without_device(struct queue *q, struct judgement *j)
{
    char *names = devices_names(&q->daemon->devices);
    char *why = xasprintf("the device %s is not in this machine any more (there is %s); "
                          "submit it again to one of these",
                          j->device, names);

    log_line("submission %lld: %s", (long long)j->id, why);
    judgement_give_up(j, why);
    free(why);
    free(names);
}

static int
step_compiles(struct queue *q, struct report *r)
{
    int free_slots = devices_spare_cpus(&q->daemon->devices, q->cpus) - compilers(q);

    /* Something failed that the loss of a device would explain: first see what is left.
     */
    if (devices_refreshing(&q->daemon->devices))
        return 0;
    for (struct judgement *j = q->first; j != NULL && free_slots > 0; j = j->next) {
        if (j->phase != QUEUED || j->ahead >= COMPILE_AHEAD)
            continue;
        if (devices_find(&q->daemon->devices, j->device) == NULL)
            give_up_without_device(q, j);
        else if (judgement_compile(j, r) != 0)
            return -1;
        if (j->phase == UNSAVED)
            q->again = true;
        else
            free_slots--;
    }
    return 0;
}

/* --- who gets which device ---------------------------------------------- */

/* Whoever is only prepared beside another holds nothing, and whoever only leaves nothing
 * but memory. */
static void
hold_what_runs(struct queue *q)
{
    for (struct line *line = q->lines; line != NULL; line = line->next) {
        line->holder = NULL;
        line->being_left = false;
    }
    for (struct judgement *j = q->first; j != NULL; j = j->next) {
        struct line *partner = j->partner != NULL ? line_of(q, j->partner) : j->line;

        if (j->arbiter == NULL)
            continue;
        if (judgement_is_leaving(j))
            j->line->being_left = partner->being_left = true;
        else if (j->line->first == j)
            j->line->holder = partner->holder = j;
    }
}

/* false: somebody else has the device, or was here first. */
static bool
take(struct line *line, const struct judgement *j)
{
    if (line->holder == NULL)
        line->holder = j;
    return line->holder == j;
}

/* Both devices of a judgement that needs two. The one that is free is kept for it until
 * the other is, too: younger ones on either would go first for ever. Since the oldest are
 * asked first, of those that wait for each other's the oldest gets both. */
static bool
take_devices(struct queue *q, const struct judgement *j)
{
    const bool own = take(j->line, j);

    return (j->partner == NULL || take(line_of(q, j->partner), j)) && own;
}

static bool
is_being_left(struct queue *q, const struct judgement *j)
{
    return j->line->being_left ||
           (j->partner != NULL && line_of(q, j->partner)->being_left);
}

/* A judgement that must not have a neighbour: whoever waits prepared on one of its
 * devices leaves, and prepares again when its turn has come. true: somebody has not left
 * yet. */
static bool
drive_out_neighbours(struct queue *q, const struct judgement *j)
{
    const struct line *other = j->partner != NULL ? line_of(q, j->partner) : j->line;
    bool any = false;

    if (j->attempt == 1 && j->partner == NULL)
        return false;
    for (struct judgement *k = q->first; k != NULL; k = k->next) {
        if (k == j || k->arbiter == NULL || (k->line != j->line && k->line != other))
            continue;
        if (!judgement_is_leaving(k))
            judgement_stop_preparing(k);
        any = true;
    }
    return any;
}

/* An arbiter for it, and "go" where it is compiled. Beside one that still leaves only
 * what is prepared goes on: its memory is there. */
static int
step_turn(struct queue *q, struct judgement *j, struct report *r)
{
    const bool being_left = is_being_left(q, j);

    if (!take_devices(q, j) || drive_out_neighbours(q, j) ||
        (being_left && j->arbiter == NULL))
        return 0;
    /* Nothing begins beside what another judgement has left. */
    if (children_sweep(q->daemon->children) + cgroups_sweep() > 0)
        return report_fail(r, "a process of an earlier judgement does not end though it "
                              "was killed: a driver holds it");
    if (j->arbiter == NULL && judgement_start_arbiter(j, false, r) != 0)
        return -1;
    if (j->phase == READY)
        judgement_go(j, being_left);
    return 0;
}

/* Is an older one waiting for this line's device as its second one? Then nothing younger
 * begins. */
static bool
is_wanted(struct queue *q, const struct judgement *j)
{
    for (const struct judgement *k = q->first; k != j; k = k->next)
        if (k->partner != NULL && line_of(q, k->partner) == j->line)
            return true;
    return false;
}

/* The next one of a device prepares while the first one is judged, as soon as that one's
 * arbiter says that there is room for it (it never does on emu, where CPUs are short). */
static bool
may_prepare_ahead(struct queue *q, const struct judgement *j)
{
    const struct judgement *first = j->line->first;

    return first->phase == RUNNING && first->room && j->line->second == j &&
           !j->line->being_left && j->partner == NULL && !is_wanted(q, j);
}

static int
step_devices(struct queue *q, struct report *r)
{
    hold_what_runs(q);
    for (struct judgement *j = q->first; j != NULL; j = j->next) {
        const bool prepares = j->arbiter == NULL && !j->prepared_early &&
                              (j->phase == READY || j->phase == COMPILING);
        int rc = 0;

        if (j->line->first == j && (prepares || j->phase == READY))
            rc = step_turn(q, j, r);
        else if (prepares && may_prepare_ahead(q, j))
            rc = judgement_start_arbiter(j, true, r);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static void
tell_positions(struct queue *q)
{
    for (struct judgement *j = q->first; j != NULL; j = j->next) {
        int position = j->ahead + 1;

        if ((j->phase != QUEUED && j->phase != READY) || position == j->told_position)
            continue;
        j->told_position = position;
        judgement_tell(j, "{\"event\":\"queued\",\"position\":%d}", position);
    }
}

void
queue_step(struct queue *q)
{
    struct report r = {0};
    int rc = 0;

    /* Called from within itself, through what a step sets off: one more round instead. */
    q->again = true;
    if (q->stepping)
        return;
    q->stepping = true;
    while (q->again && rc == 0) {
        q->again = false;
        rc = step_saves(q, &r);
        step_drained(q);
        count_lines(q);
        if (rc == 0)
            rc = step_compiles(q, &r);
        if (rc == 0)
            rc = step_devices(q, &r);
    }
    q->stepping = false;
    if (rc != 0)
        trouble(q, &r);
    else
        no_trouble(q);
    count_lines(q);
    tell_positions(q);
}

/* --- what others ask ---------------------------------------------------- */

bool
queue_find(const struct queue *q, int64_t id, struct queue_state *out)
{
    static const char *const STATES[] = {
        [QUEUED] = "queued",   [COMPILING] = "compiling", [READY] = "queued",
        [RUNNING] = "running", [UNSAVED] = "running",     [DRAINING] = "queued",
    };

    for (const struct judgement *j = q->first; j != NULL; j = j->next) {
        bool queued = j->phase == QUEUED || j->phase == READY || j->phase == DRAINING;

        if (j->id != id)
            continue;
        if (j->phase == DRAINING && !j->again)
            return false;
        *out = (struct queue_state){.state = STATES[j->phase],
                                    .position = queued ? j->ahead + 1 : 0,
                                    .attempt = j->attempt,
                                    .last_event = j->last_event};
        return true;
    }
    return false;
}

size_t
queue_length(const struct queue *q)
{
    size_t count = 0;

    for (const struct judgement *j = q->first; j != NULL; j = j->next)
        count += j->phase != DRAINING || j->again;
    return count;
}

bool
queue_device_busy(const struct queue *q, const char *device)
{
    for (const struct judgement *j = q->first; j != NULL; j = j->next)
        if (j->arbiter != NULL &&
            (strcmp(j->device, device) == 0 ||
             (j->partner != NULL && strcmp(j->partner, device) == 0)))
            return true;
    return false;
}

const char *
queue_trouble(const struct queue *q)
{
    return q->trouble;
}

/* --- in and out --------------------------------------------------------- */

static struct judgement *
add(struct queue *q, int64_t id, const char *problem, const char *device,
    const char *filename, bool sample_tests_only)
{
    struct judgement *j = judgement_new(q, q->daemon, id);

    j->problem = xstrdup(problem);
    j->device = xstrdup(device);
    j->filename = xstrdup(filename);
    j->sample_tests_only = sample_tests_only;
    j->line = line_of(q, device);
    j->ahead = j->line->waiting++;
    *q->end = j;
    q->end = &j->next;
    return j;
}

void
queue_add(struct queue *q, int64_t id, const char *problem, const char *device,
          const char *filename, bool sample_tests_only)
{
    add(q, id, problem, device, filename, sample_tests_only);
}

int
queue_load(struct queue *q, struct report *r)
{
    struct submissions list;

    if (store_pending(q->daemon->store, &list, r) != 0)
        return -1;
    for (size_t i = 0; i < list.count; i++) {
        const struct submission *sub = &list.row[i];
        struct judgement *j = add(q, sub->id, sub->problem, sub->device, sub->filename,
                                  sub->sample_tests_only);

        j->attempt = sub->attempt;
    }
    if (list.count > 0)
        log_line("%zu submissions are unfinished and are judged again", list.count);
    submissions_free(&list);
    return 0;
}

struct queue *
queue_new(struct daemon *d)
{
    struct queue *q = xcalloc(1, sizeof *q);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    q->daemon = d;
    q->end = &q->first;
    q->cpus = cpus > 1 ? (int)cpus : 1;
    q->retry = evtimer_new(d->base, on_retry, q);
    if (q->retry == NULL)
        die(4, "out of memory");
    return q;
}

void
queue_free(struct queue *q)
{
    if (q == NULL)
        return;
    for (struct judgement *j = q->first, *next; j != NULL; j = next) {
        next = j->next;
        judgement_free(j);
    }
    for (struct line *line = q->lines, *next; line != NULL; line = next) {
        next = line->next;
        free(line->device);
        free(line);
    }
    event_free(q->retry);
    free(q->trouble);
    free(q);
}
