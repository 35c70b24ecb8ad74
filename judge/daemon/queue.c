/* Which submission is compiled, prepared and judged next, and on which device. queue.h
 * says by which rules. */
#include "daemon/attempt.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/arbiters.h"
#include "daemon/attempt_lease.h"
#include "daemon/compiler_slots.h"
#include "daemon/lease_choice.h"
#include "daemon/lease_pause.h"
#include "daemon/line.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/people.h"
#include "daemon/plan.h"
#include "daemon/queue_census.h"
#include "daemon/specs.h"
#include "daemon/told.h"
#include "daemon/worker_pairs.h"
#include "daemon/workers.h"
#include "sandbox/cgroup.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many submissions of a device wait compiled. They lie on the disk until the device
 * is free; further ones wait as source. A GPU judges two short kernels a second, and nvcc
 * takes 20 s for the longest sources. */
#define COMPILE_AHEAD 64
#define RETRY_LATER_S 2

/* While anything waits, the specs of problems are looked at each second, and so many that
 * have changed are read at once. */
#define SPECS_READ_MOST 4

struct queue {
    struct daemon *daemon;
    struct attempt *first, **end;
    struct attempt *begun; /* the first that is not QUEUED; next_begun leads on */
    struct line *lines;
    struct people *people;
    bool unsorted;         /* the order is to be made anew */
    bool uncounted;        /* attempts have changed since their lines were counted */
    size_t length;         /* see queue_length() */
    struct event *retry;   /* the timer after a failure of the machine */
    bool awaits_workers;   /* those of before the start may not have registered again */
    struct event *awaited; /* the timer of that */
    struct event *look;    /* the timer of the look at the specs */
    uint64_t devices_seen; /* the devices' generation that attempts were looked at by */
    char *trouble;
    struct lease_pause pause; /* of leases */
    bool gpu_was_first; /* the compiler that was started last is for a GPU's first */
    bool stepping;      /* queue_step() is under way */
    bool again;         /* queue_step() must go round once more */
};

/* --- the machine's troubles --------------------------------------------- */

static void
queue_on_retry(evutil_socket_t fd, short what, void *arg)
{
    LOOP_HANDLER("the queue, again");

    (void)fd;
    (void)what;
    queue_step(arg);
}

void
queue_step_soon(struct queue *q)
{
    static const struct timeval now = {0};

    if (evtimer_add(q->retry, &now) != 0)
        die(4, "out of memory");
}

static void
queue_has_trouble(struct queue *q, const struct report *r)
{
    static const struct timeval after = {.tv_sec = RETRY_LATER_S};

    if (q->trouble == NULL || strcmp(q->trouble, r->text) != 0) {
        log_line("cannot go on, trying again every %d s: %s", RETRY_LATER_S, r->text);
        free(q->trouble);
        q->trouble = xstrdup(r->text);
    }
    evtimer_add(q->retry, &after);
}

static void
queue_has_no_trouble(struct queue *q)
{
    if (q->trouble != NULL)
        log_line("going on");
    free(q->trouble);
    q->trouble = NULL;
}

void
queue_pause_leases(struct queue *q, const struct report *why)
{
    lease_pause_begin(&q->pause, why);
}

void
queue_void_artefacts(struct queue *q, bool (*is_void)(const struct attempt *a, void *arg),
                     void *arg, const char *why)
{
    for (struct attempt *a = q->first; a != NULL; a = a->next) {
        if (!is_void(a, arg))
            continue;
        a->artefact_void = true;
        if (a->lease != NULL)
            lease_void(a, why);
    }
}

/* --- what can be done now ----------------------------------------------- */

int
queue_width_of(const struct queue *q, const char *device)
{
    const int width = q->daemon->settings.emu;

    if (!devices_is_here(&q->daemon->devices, device))
        return 0;
    if (strcmp(device, "emu") != 0)
        return 1;
    return width > 0 ? width : devices_emu_width(&q->daemon->devices);
}

static struct line *
queue_line_of(struct queue *q, const char *device)
{
    struct line *line = line_find(&q->lines, device, queue_width_of(q, device));

    if (line->workers == NULL) {
        const struct device_entry *e = devices_find(&q->daemon->devices, device);

        line->workers = workers_board(q->daemon->workers, e != NULL ? e->board : device);
    }
    return line;
}

/* Thousands may be QUEUED, and few are not. A step looks at these few again and again,
 * and at all only where it must. */
static void
queue_find_begun(struct queue *q)
{
    struct attempt **end = &q->begun;

    for (struct attempt *a = q->first; a != NULL; a = a->next)
        if (a->phase != QUEUED) {
            *end = a;
            end = &a->next_begun;
        }
    *end = NULL;
}

static void
queue_count_in_line(struct attempt *a, uint64_t now)
{
    line_take_in(a->line, a);
    a->ahead = a->line->waiting;
    a->wait_ms = line_wait_ms(a->line);
    a->line->waiting += a->phase < RUNNING;
    a->line->compiled += a->phase < RUNNING && a->phase != QUEUED;
    a->line->wait_ms += attempt_left_ms(a, now);
}

/* One that this machine cannot judge gets no place of its device, and nobody waits for
 * it. */
static void
queue_count_for_pair(struct attempt *a)
{
    a->ahead = a->line->waiting + a->line->waiting_pairs;
    a->wait_ms = line_wait_ms(a->line);
    a->line->waiting_pairs += a->phase < RUNNING;
    a->line->idle_pair |= a->phase < RUNNING && a->idle != IDLE_NOT;
}

/* Counts how many are before each one in its line, and how many submissions are not done,
 * in one pass, because thousands may wait. */
static void
queue_count_lines(struct queue *q)
{
    const uint64_t now = now_ns();

    q->uncounted = false;
    q->length = 0;
    for (struct line *line = q->lines; line != NULL; line = line->next)
        line_clear(line);
    for (struct attempt *a = q->first; a != NULL; a = a->next) {
        q->length += !attempt_is_recorded(a) && a->idle == IDLE_NOT;
        if (attempt_is_leaving(a) || a->lease != NULL || a->artefact_pool != NULL ||
            a->profile == PROFILE_GRADE_COMPILE)
            continue;
        a->cost_ms = a->line->cost_ms[attempt_has_samples_only(a)];
        if (a->for_pair)
            queue_count_for_pair(a);
        else
            queue_count_in_line(a, now);
    }
}

/* Finds out anew who needs a worker with two GPUs. */
static void
queue_find_pairs(struct queue *q)
{
    q->uncounted = true;
    for (struct attempt *a = q->first; a != NULL; a = a->next)
        if (a->phase == QUEUED)
            lease_note_pair(a);
}

/* Does so where devices have come or gone, or the first worker with two of a board has
 * come. */
static void
queue_look_at_devices(struct queue *q)
{
    const uint64_t generation = q->daemon->devices.generation;

    if (q->devices_seen == generation)
        return;
    q->devices_seen = generation;
    queue_find_pairs(q);
}

/* Notes anew how many GPUs the attempts of a problem need whose author has changed that.
 * Is there such a problem? */
static bool
queue_note_gpus(struct queue *q)
{
    const struct problem *p;
    bool any = false;

    while ((p = specs_take_other_gpus(q->daemon->specs)) != NULL) {
        any = q->uncounted = true;
        for (struct attempt *a = q->first; a != NULL; a = a->next)
            if (a->phase < RUNNING && strcmp(a->problem, p->slug) == 0)
                lease_note_gpus(a, p);
    }
    return any;
}

/* Which pilots are asked for, and whether this machine judges what waits, follows from
 * the specs, of which nobody may ask anything meanwhile. */
static void
queue_on_look(evutil_socket_t fd, short what, void *arg)
{
    struct queue *q = arg;
    LOOP_HANDLER("the look at the problems");

    (void)fd;
    (void)what;
    if (q->first == NULL)
        return;
    specs_look(q->daemon->specs, SPECS_READ_MOST);
    if (queue_note_gpus(q))
        queue_step(q);
}

/* All workers of before the start have had the time to register again. */
static void
queue_on_awaited(evutil_socket_t fd, short what, void *arg)
{
    struct queue *q = arg;
    LOOP_HANDLER("the end of the wait for workers");

    (void)fd;
    (void)what;
    q->awaits_workers = false;
    queue_find_pairs(q);
    queue_step(q);
}

bool
queue_awaits_workers(const struct queue *q)
{
    return q->awaits_workers;
}

static void
queue_count_if_changed(struct queue *q)
{
    if (q->uncounted)
        queue_count_lines(q);
}

/* Counts what an attempt that has been judged has used of its device. The cost of the
 * next ones is expected to be like the last ones': how long each kept the next from its
 * turn. */
static void
queue_count_use(struct queue *q, struct attempt *a)
{
    const uint64_t now = now_ns();
    double *cost = &a->line->cost_ms[attempt_has_samples_only(a)], kept;

    if (a->go_ns == 0 || a->phase == RUNNING)
        return;
    kept = (double)((a->measured_ns > 0 ? a->measured_ns : now) - a->go_ns) / 1e6;
    a->go_ns = 0;
    *cost += (kept - *cost) / 4;
    if (!profile_is_graded(a->profile))
        person_has_used(a->person, attempt_use_ms(a, now), now);
    /* Until its result is read, the plan has its cost, too: it is saved soon. */
    q->unsorted |= a->phase != READING;
}

static void
queue_step_order(struct queue *q)
{
    if (!q->unsorted)
        return;
    plan_sort(&q->first, &q->end);
    queue_find_begun(q);
    q->unsorted = false;
    q->uncounted = true;
}

static bool
attempt_has_ended(const struct attempt *a)
{
    return a->phase == DRAINING && a->compiler == NULL && a->arbiter == NULL &&
           a->lease == NULL && !a->being_read;
}

/* Removes a submission that *begun leads to. */
static void
queue_remove(struct queue *q, struct attempt **begun)
{
    struct attempt *a = *begun, **at = &q->first;

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    if (a->next == NULL)
        q->end = at;
    *begun = a->next_begun;
    a->person->graded -= profile_is_graded(a->profile);
    people_leave(q->people, a->person);
    q->unsorted = true;
    attempt_free(a);
}

/* Removes submissions whose attempt has ended. One that is judged again keeps its place,
 * as the oldest of its device. */
static void
queue_step_drained(struct queue *q)
{
    for (struct attempt **begun = &q->begun; *begun != NULL;) {
        const bool ended = attempt_has_ended(*begun);

        q->uncounted |= ended;
        q->unsorted |= ended;
        if (ended && !attempt_drained(*begun))
            queue_remove(q, begun);
        else
            begun = &(*begun)->next_begun;
    }
}

static int
queue_step_saves(struct queue *q, struct report *r)
{
    for (struct attempt *a = q->begun; a != NULL; a = a->next_begun) {
        if (a->phase != UNSAVED)
            continue;
        q->uncounted = q->unsorted = true;
        if (attempt_save(a, r) != 0)
            return -1;
    }
    return 0;
}

static void
queue_give_up_without_device(struct queue *q, struct attempt *a)
{
    char *names = devices_names(&q->daemon->devices);
    char *why = xasprintf("the device %s is not in this machine any more (there is %s); "
                          "submit it again to one of these",
                          a->device, names);

    log_line("%s: %s", a->label, why);
    attempt_give_up(a, why);
    free(why);
    free(names);
}

/* Is it compiled before its device is free? Where workers judge for the same board, what
 * waits is left to them as source. There those that are compiled already count wherever
 * they stand: one after another could be sorted before them. */
static bool
queue_compiles_ahead(const struct attempt *a)
{
    const struct line *line = a->line;

    if (line->workers->live == 0)
        return a->ahead < COMPILE_AHEAD;
    return a->ahead < line->width &&
           (line->compiled < line->width || a->profile == PROFILE_GRADE_COMPILE);
}

/* Notes of which lines the device is one of this machine's, and gone. What only workers
 * judge waits for one. Is there a line of which anything is to be done? */
static bool
queue_note_gone(struct queue *q)
{
    bool any = false;

    for (struct line *line = q->lines; line != NULL; line = line->next) {
        line->gone = devices_find(&q->daemon->devices, line->device) == NULL &&
                     devices_is_own_name(line->device);
        any |= line->gone || line->width > 0;
    }
    return any;
}

static bool
queue_may_compile(const struct attempt *a)
{
    if (a->phase != QUEUED || a->for_pair)
        return false;
    return a->line->gone || (a->line->width > 0 &&
                             (line_has_in_front(a->line, a) || queue_compiles_ahead(a)));
}

/* On emu what is compiled earlier is not judged earlier: both take CPUs. */
static bool
queue_gpu_waits_for(const struct attempt *a)
{
    return strcmp(a->line->device, "emu") != 0;
}

/* Compiles the first that may be, of all or of those that GPUs wait for. Returns 1 if
 * there was one. */
static int
queue_start_compiler(struct queue *q, bool for_gpus, int *free_cpus, struct report *r)
{
    struct attempt *a = q->first;

    while (a != NULL && (!queue_may_compile(a) || (for_gpus && !queue_gpu_waits_for(a))))
        a = a->next;
    if (a == NULL)
        return 0;
    q->uncounted = true;
    q->gpu_was_first = for_gpus;
    if (a->line->gone)
        queue_give_up_without_device(q, a);
    else if (attempt_compile(a, r) != 0)
        return -1;
    if (a->phase != UNSAVED && !a->for_pair) {
        (*free_cpus)--;
        a->line->compiled += a->profile != PROFILE_GRADE_COMPILE;
    } else {
        q->again = true;
    }
    return 1;
}

/* Where compilers are what is short, what GPUs wait for and all others take turns. */
static int
queue_start_compilers(struct queue *q, int free_cpus, struct report *r)
{
    int rc = 1;

    while (rc > 0 && free_cpus > 0) {
        rc = q->gpu_was_first ? 0 : queue_start_compiler(q, true, &free_cpus, r);
        if (rc == 0)
            rc = queue_start_compiler(q, false, &free_cpus, r);
    }
    return rc < 0 ? -1 : 0;
}

static int
queue_step_compiles(struct queue *q, struct report *r)
{
    const int slots = devices_spare_cpus(&q->daemon->devices);
    const int free_cpus = slots - compiler_slots_used(q->begun, slots);
    int rc;

    /* Something failed that the loss of a device would explain, and the devices are being
     * listed again. */
    if (free_cpus <= 0 || devices_refreshing(&q->daemon->devices) || !queue_note_gone(q))
        return 0;
    rc = queue_start_compilers(q, free_cpus, r);
    queue_find_begun(q);
    return rc;
}

/* --- what workers get ---------------------------------------------------- */

/* Counts what is compiled ahead, and has that compiled anew which nobody could judge:
 * whether there is such. */
static bool
queue_count_ahead(struct queue *q)
{
    bool any = false;

    for (struct line *line = q->lines; line != NULL; line = line->next) {
        line->workers->compiled = 0;
        worker_board_unkeep(line->workers);
    }
    for (struct attempt *a = q->begun; a != NULL; a = a->next_begun) {
        if (lease_fits_nobody(a)) {
            attempt_compile_anew(a);
            any = true;
        }
        a->line->workers->compiled += lease_is_ahead(a);
    }
    return any;
}

/* Gives what waits to the workers that wait, in the fair order. Thousands may wait, and
 * often no worker does. */
static int
queue_step_leases(struct queue *q, struct report *r)
{
    const struct workers *all = q->daemon->workers;
    const bool paused = lease_pause_lasts(&q->pause, q->daemon->config.jobs);
    bool changed = queue_count_ahead(q), any = !paused && workers_any_waits(all);
    int rc = 0;

    for (struct attempt *a = q->first; a != NULL && any && rc == 0; a = a->next) {
        struct worker *w;
        bool granted = false;

        while (rc == 0 && !granted && (w = lease_choose(a)) != NULL) {
            rc = worker_grant(w, a, &granted, r);
            changed = true;
            any = workers_any_waits(all);
        }
        if (granted)
            q->again = true;
    }
    if (rc != 0)
        queue_pause_leases(q, r);
    if (changed) {
        queue_find_begun(q);
        queue_count_lines(q);
    }
    return rc;
}

/* --- who gets which device ---------------------------------------------- */

/* Finds the holders of each device. An arbiter that only prepares beside another holds
 * nothing. One that leaves holds nothing but memory, and time for one calibration. */
static void
queue_find_holders(struct queue *q)
{
    for (struct line *line = q->lines; line != NULL; line = line->next)
        line_forget_holders(line);
    for (struct attempt *a = q->begun; a != NULL; a = a->next_begun) {
        if (a->arbiter == NULL)
            continue;
        line_note_arbiter(a->line, a);
        if (a->partner != NULL)
            line_note_arbiter(queue_line_of(q, a->partner), a);
    }
}

static bool
queue_is_being_left(struct queue *q, const struct attempt *a)
{
    return line_is_being_left(a->line) ||
           (a->partner != NULL && line_is_being_left(queue_line_of(q, a->partner)));
}

/* Notes whose device is given back by the arbiter before, and counts what has been used
 * of devices. That is done before what was judged is removed. */
static void
queue_step_uses(struct queue *q)
{
    queue_find_holders(q);
    for (struct attempt *a = q->begun; a != NULL; a = a->next_begun) {
        if (a->phase == RUNNING && a->own_ns == 0 && !queue_is_being_left(q, a))
            a->own_ns = now_ns();
        queue_count_use(q, a);
    }
}

/* Does the attempt have its device, or both where it needs two? A device that is free is
 * kept for it until the other one is free, too; otherwise younger submissions would
 * always go first. Older submissions come here first, so that of two that wait for each
 * other's device the older one gets both. */
static bool
queue_take_devices(struct queue *q, const struct attempt *a)
{
    const bool own = line_take(a->line, a);

    return (a->partner == NULL || line_take(queue_line_of(q, a->partner), a)) && own;
}

/* Must this attempt still wait for a neighbour to leave? A second attempt, and one with
 * two devices, must have no neighbour. A neighbour that is prepared is told to leave, and
 * prepares again when its turn has come. One that is idle is told to leave, too. One that
 * is judged, as on emu, is waited for. */
static bool
queue_waits_for_neighbours(struct queue *q, const struct attempt *a)
{
    const struct line *partner =
        a->partner != NULL ? queue_line_of(q, a->partner) : a->line;
    bool any;

    if (a->number == 1 && a->partner == NULL)
        return false;
    any = arbiters_dismiss(q->daemon->arbiters, a->device);
    if (a->partner != NULL)
        any = arbiters_dismiss(q->daemon->arbiters, a->partner) || any;
    for (struct attempt *b = q->begun; b != NULL; b = b->next_begun) {
        if (b == a || b->arbiter == NULL || (b->line != a->line && b->line != partner))
            continue;
        if (b->phase < RUNNING)
            attempt_stop_preparing(b);
        any = true;
    }
    return any;
}

/* Starts the attempt's arbiter, and tells it "go" where the submission is compiled.
 * Beside an arbiter that still leaves, only one that is prepared goes on: it has its
 * memory, and follows that one by the GPU lock. */
static int
queue_step_turn(struct queue *q, struct attempt *a, struct report *r)
{
    const struct attempt *alone = line_alone(a->line);
    bool being_left;

    if ((alone != NULL && alone != a) || !queue_take_devices(q, a) ||
        queue_waits_for_neighbours(q, a))
        return 0;
    being_left = queue_is_being_left(q, a);
    if (being_left && a->arbiter == NULL)
        return 0;
    /* Nothing begins beside processes that an earlier judgement has left. */
    if (children_sweep(q->daemon->children) + cgroups_sweep() > 0)
        return report_fail(r, "a process of an earlier judgement does not end though it "
                              "was killed: a driver holds it");
    if (a->arbiter == NULL && attempt_start_arbiter(a, false, r) != 0)
        return -1;
    if (a->phase == READY)
        attempt_go(a, being_left);
    return 0;
}

/* Does an older submission wait for this device as its second one? Then nothing younger
 * begins there. */
static bool
queue_is_wanted(struct queue *q, const struct attempt *a)
{
    for (const struct attempt *b = q->first; b != a; b = b->next)
        if (b->partner != NULL && queue_line_of(q, b->partner) == a->line)
            return true;
    return false;
}

/* May this submission prepare while the first of its device is judged? It may as soon as
 * the first one's arbiter says that there is capacity. On emu, where CPUs are short, it
 * never says so. */
static bool
queue_may_prepare_ahead(struct queue *q, const struct attempt *a)
{
    const struct attempt *first = a->line->front[0];

    return first->phase == RUNNING && first->has_capacity && line_next(a->line) == a &&
           a->line->leaving == 0 && a->partner == NULL && !queue_is_wanted(q, a);
}

static int
queue_step_devices(struct queue *q, struct report *r)
{
    queue_find_holders(q);
    for (struct attempt *a = q->begun; a != NULL; a = a->next_begun) {
        const bool prepares = a->arbiter == NULL && !a->prepared_early &&
                              a->profile != PROFILE_GRADE_COMPILE &&
                              (a->phase == READY || a->phase == COMPILING);
        int rc = 0;

        if (a->lease != NULL || a->artefact_pool != NULL || a->line->width == 0)
            continue;
        if (line_has_in_front(a->line, a) && (prepares || a->phase == READY)) {
            q->uncounted = true;
            rc = queue_step_turn(q, a, r);
        } else if (prepares && queue_may_prepare_ahead(q, a)) {
            q->uncounted = true;
            rc = attempt_start_arbiter(a, true, r);
        }
        if (rc != 0)
            return -1;
    }
    return 0;
}

static struct attempt *
queue_new_attempt(struct queue *q, int64_t id, const struct new_submission *n,
                  const struct idle_work *idle)
{
    struct attempt *a = attempt_new(q, q->daemon, id, idle);
    struct report ignored = {0}; /* whoever compiles it reports it */
    bool exists;

    a->problem = xstrdup(n->problem);
    a->device = xstrdup(n->device);
    a->filename = xstrdup(n->filename);
    a->sample_tests_only = n->sample_tests_only;
    a->profile = n->profile;
    a->created_ms = now_ms();
    a->person = people_enter(q->people, n->user);
    a->person->graded += profile_is_graded(a->profile);
    a->line = queue_line_of(q, n->device);
    a->cost_ms = a->line->cost_ms[attempt_has_samples_only(a)];
    lease_note_gpus(a, specs_get(q->daemon->specs, a->problem, &exists, &ignored));
    /* The next step finds its place. What is judged in idle time has it already. */
    *q->end = a;
    q->end = &a->next;
    q->unsorted = true;
    q->length += idle == NULL;
    return a;
}

/* Does a worker of the board wait while nothing else waits for it? This machine has no
 * device of the board. */
static bool
queue_worker_is_idle(const struct queue *q, const struct line *line)
{
    if (line->width > 0 || line->workers->waiting == NULL)
        return false;
    for (const struct attempt *a = q->first; a != NULL; a = a->next)
        if (a->line->workers == line->workers && a->lease == NULL &&
            !attempt_is_recorded(a))
            return false;
    return true;
}

/* Takes in what is judged in idle time, where its device could judge one more at once. */
static void
queue_step_idle(struct queue *q)
{
    const struct devices *devices = &q->daemon->devices;

    if (devices_refreshing(devices))
        return;
    idle_check_devices(q->daemon);
    for (int i = 0; i < devices->count; i++) {
        const char *device = devices->entry[i].name;
        struct line *line = queue_line_of(q, device);
        struct idle_work work;

        while ((line_has_place(line) || queue_worker_is_idle(q, line)) &&
               !line->idle_pair && idle_next(q->daemon, device, &work)) {
            const struct new_submission n = {.user = "",
                                             .device = device,
                                             .problem = work.problem,
                                             .filename = work.filename};

            queue_new_attempt(q, work.id, &n, &work);
            queue_count_lines(q);
        }
    }
}

void
queue_step(struct queue *q)
{
    struct report r = {0};
    int rc = 0;

    /* A step may cause a call from within. It asks for one more round instead. */
    q->again = true;
    q->uncounted = true;
    if (q->stepping)
        return;
    q->stepping = true;
    while (q->again && rc == 0) {
        q->again = false;
        queue_step_uses(q);
        rc = queue_step_saves(q, &r);
        queue_step_drained(q);
        queue_look_at_devices(q);
        (void)queue_note_gpus(q);
        queue_step_order(q);
        queue_count_if_changed(q);
        if (rc == 0 && !q->daemon->draining)
            queue_step_idle(q);
        if (rc == 0 && !q->daemon->draining)
            rc = queue_step_leases(q, &r);
        if (rc == 0 && !q->daemon->draining)
            rc = queue_step_compiles(q, &r);
        if (rc == 0 && !q->daemon->draining)
            rc = queue_step_devices(q, &r);
    }
    q->stepping = false;
    if (rc == 0 && q->pause.until_ns > 0)
        rc = report_fail(&r, "%s", q->pause.why.text);
    if (rc != 0)
        queue_has_trouble(q, &r);
    else
        queue_has_no_trouble(q);
    queue_count_if_changed(q);
    told_step(q->first);
    if (q->daemon->draining && queue_is_drained(q))
        event_base_loopbreak(q->daemon->base);
}

struct attempt *
queue_first(const struct queue *q)
{
    return q->first;
}

/* --- what others ask ---------------------------------------------------- */

int
queue_cancel(struct queue *q, int64_t id, const char *message, struct report *r)
{
    struct attempt *a = queue_attempt(q, id);

    if (a == NULL || attempt_is_recorded(a))
        return 0;
    if (attempt_cancel(a, message, r) != 0)
        return -1;
    queue_find_begun(q);
    queue_step(q);
    return 0;
}

void
queue_drop_idle(struct queue *q, enum idle_kind kind)
{
    for (struct attempt *a = q->first; a != NULL; a = a->next)
        if (a->idle == kind && !attempt_is_recorded(a))
            attempt_drop(a);
    queue_find_begun(q);
}

size_t
queue_length(const struct queue *q)
{
    return q->length;
}

const char *
queue_trouble(const struct queue *q)
{
    if (q->trouble == NULL && q->daemon->draining)
        return "the judge is being stopped; what waits is judged when it is back";
    return q->trouble;
}

/* --- in and out --------------------------------------------------------- */

void
queue_add(struct queue *q, int64_t id, const struct new_submission *n)
{
    struct attempt *a = queue_new_attempt(q, id, n, NULL);

    /* It is the last of its line until the next step has counted. */
    a->ahead = a->line->waiting;
    a->wait_ms = line_wait_ms(a->line);
    if (a->for_pair) {
        a->ahead += a->line->waiting_pairs++;
    } else {
        a->line->waiting++;
        a->line->wait_ms += attempt_left_ms(a, now_ns());
    }
}

int
queue_places(const struct queue *q, const char *user, bool graded)
{
    return people_places(q->people, user, graded);
}

int
queue_load(struct queue *q, struct report *r)
{
    const struct timeval lease = {.tv_sec = q->daemon->settings.lease_s};
    struct submissions list;

    if (store_pending(q->daemon->store, &list, r) != 0)
        return -1;
    if (list.count > 0) {
        q->awaits_workers = true;
        if (evtimer_add(q->awaited, &lease) != 0)
            die(4, "out of memory");
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct submission *sub = &list.row[i];
        const struct new_submission n = {.user = sub->user,
                                         .problem = sub->problem,
                                         .device = sub->device,
                                         .filename = sub->filename,
                                         .sample_tests_only = sub->sample_tests_only,
                                         .profile = sub->profile};
        struct attempt *a = queue_new_attempt(q, sub->id, &n, NULL);

        a->number = sub->attempt;
        a->created_ms = sub->created_ms;
    }
    if (list.count > 0)
        log_line("%zu submissions are unfinished and are judged again", list.count);
    submissions_free(&list);
    return 0;
}

struct queue *
queue_new(struct daemon *d)
{
    static const struct timeval second = {.tv_sec = 1};
    struct queue *q = xcalloc(1, sizeof *q);

    q->daemon = d;
    q->end = &q->first;
    q->people = people_new();
    q->retry = evtimer_new(d->base, queue_on_retry, q);
    q->awaited = evtimer_new(d->base, queue_on_awaited, q);
    q->look = event_new(d->base, -1, EV_PERSIST, queue_on_look, q);
    if (q->retry == NULL || q->awaited == NULL || q->look == NULL ||
        event_add(q->look, &second) != 0)
        die(4, "out of memory");
    return q;
}

void
queue_free(struct queue *q)
{
    if (q == NULL)
        return;
    for (struct attempt *a = q->first, *next; a != NULL; a = next) {
        next = a->next;
        attempt_free(a);
    }
    people_free(q->people);
    lines_free(q->lines);
    event_free(q->retry);
    event_free(q->awaited);
    event_free(q->look);
    free(q->trouble);
    free(q);
}
