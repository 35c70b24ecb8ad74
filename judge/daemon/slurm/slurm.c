/* The engine of the pilots: one command of Slurm's after another. slurm.h says which. */
#include "daemon/slurm/slurm.h"

#include "base/file.h"
#include "base/hex.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/loop_watch.h"
#include "daemon/slurm/state.h"

#include <errno.h>
#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND_NS ((uint64_t)1000000000)
#define AGAIN_MOST_S 60 /* between two tries where squeue fails */
#define HOLD_LEAST_S 10 /* after a pilot that has failed */
#define HOLD_MOST_S 600
#define CANCEL_MOST 500 /* jobs in one call of scancel */
#define STOP_NS (5 * SECOND_NS)

void
slurm_say(struct slurm *s, const char *format, ...)
{
    va_list ap;
    char *text;

    va_start(ap, format);
    text = xvasprintf(format, ap);
    va_end(ap);
    log_line("Slurm: %s", text);
    if (s->event_count == SLURM_EVENTS) {
        free(s->event[0].text);
        memmove(s->event, s->event + 1, (SLURM_EVENTS - 1) * sizeof *s->event);
        s->event_count--;
    }
    s->event[s->event_count++] = (struct slurm_event){.at_ms = now_ms(), .text = text};
}

/* --- after a failure ---------------------------------------------------- */

/* The wait after a failure is twice as long as the one before. */
static uint64_t
longer_ns(int failures, uint64_t least_s, uint64_t most_s)
{
    uint64_t s = least_s;

    for (int i = 1; i < failures && s < most_s; i++)
        s *= 2;
    return (s < most_s ? s : most_s) * SECOND_NS;
}

static void
group_hold(struct slurm *s, int group)
{
    struct slurm_group_state *g = &s->group[group];
    const uint64_t now = now_ns();

    g->to_start = 0;
    if (now < g->held_until_ns) /* several have failed at the same time */
        return;
    g->failures++;
    g->held_until_ns = now + longer_ns(g->failures, HOLD_LEAST_S, HOLD_MOST_S);
}

static void
group_has_trouble(struct slurm *s, int group, const char *text)
{
    struct slurm_group_state *g = &s->group[group];

    g->trouble = (struct report){0};
    report_fail(&g->trouble, "%s", text);
    group_hold(s, group);
}

/* sbatch has refused one. */
static void
group_is_refused(struct slurm *s, int group, const char *text)
{
    if (strcmp(s->group[group].trouble.text, text) != 0)
        slurm_say(s, "%s: %s", s->settings->group[group].name, text);
    group_has_trouble(s, group, text);
}

static void
group_is_well(struct slurm *s, int group)
{
    s->group[group].failures = 0;
    s->group[group].held_until_ns = 0;
    s->group[group].trouble = (struct report){0};
}

/* --- a look ------------------------------------------------------------- */

static void engine_go_on(struct slurm *s);

/* Which group is a job of this name of? -1 for a group that is gone, -2 for a job that is
 * not this judge's. */
static int
name_group(const struct slurm *s, const char *name)
{
    static const char PREFIX[] = "warpjudge-";
    const size_t prefix = strlen(PREFIX), id = strlen(s->id);

    if (strncmp(name, PREFIX, prefix) != 0 || strncmp(name + prefix, s->id, id) != 0 ||
        name[prefix + id] != '-')
        return -2;
    for (int i = 0; i < s->settings->count; i++)
        if (strcmp(name + prefix + id + 1, s->settings->group[i].name) == 0)
            return i;
    return -1;
}

/* Takes how the pilot of s->gone has ended. */
static void
gone_take(struct slurm *s, const struct slurm_end *end)
{
    const int group = s->gone.group;
    char *how, *text;

    s->fate = slurm_end_say(end, s->folder, &how);
    s->explained = true;
    text = xasprintf("pilot %lld %s", (long long)s->gone.id, how);
    free(how);
    if (s->fate == PILOT_WELL || s->gone.cancelled)
        log_line("Slurm: %s", text);
    else
        slurm_say(s, "%s", text);
    if (s->fate == PILOT_BAD_NODE)
        nodes_leave_out(s, end->node);
    if (s->fate == PILOT_FAILED)
        s->current = 0; /* its token may have been revoked: the next one gets another */
    if (group >= 0 && (s->fate == PILOT_BAD_NODE || s->fate == PILOT_FAILED))
        group_has_trouble(s, group, text);
    else if (group >= 0 && !s->gone.cancelled)
        group_is_well(s, group);
    free(text);
}

static void
engine_line(void *arg, const char *line)
{
    struct slurm *s = arg;
    struct squeue_job job;
    struct slurm_end end;

    if (s->step == STEP_LOOK && squeue_read(line, &job)) {
        const int group = name_group(s, job.name);

        if (group > -2)
            pilots_see(&s->pilots, &job, group);
    } else if (s->step == STEP_START && s->started == 0) {
        s->started = sbatch_read(line);
    } else if ((s->step == STEP_EXPLAIN && scontrol_read(line, &end)) ||
               (s->step == STEP_RECALL && sacct_read(line, &end) &&
                slurm_end_is_known(&end))) {
        gone_take(s, &end);
    }
}

/* --- one command after another ------------------------------------------ */

static void engine_ended(void *arg, const struct report *failed);

/* Starts a command of Slurm's; what cannot be started has failed. */
static void
engine_run(struct slurm *s, enum slurm_step step, const char *program,
           const char *const *words)
{
    struct report r = {0};
    char *path = slurm_command_find(program);
    const char *argv[CANCEL_MOST + 2] = {path};

    s->step = step;
    for (size_t i = 0; words[i] != NULL; i++)
        argv[i + 1] = words[i];
    s->command.program = program;
    if (path == NULL)
        report_fail(&r, "%s is not on PATH", program);
    else
        slurm_command_start(&s->command, s->daemon->children, argv, &r);
    free(path);
    if (report_is_set(&r))
        engine_ended(s, &r);
}

static void
engine_look(struct slurm *s)
{
    static const char *const WORDS[] = {"--noheader", "--me", "--format=" SQUEUE_COLUMNS,
                                        NULL};

    s->looked_ns = now_ns();
    pilots_unsee(&s->pilots);
    engine_run(s, STEP_LOOK, "squeue", WORDS);
}

/* Asks how the pilot of s->gone has ended. */
static void
engine_explain(struct slurm *s, enum slurm_step step)
{
    char id[24];

    snprintf(id, sizeof id, "%lld", (long long)s->gone.id);
    s->explained = false;
    if (step == STEP_EXPLAIN)
        engine_run(s, step, "scontrol",
                   (const char *const[]){"--oneliner", "show", "job", id, NULL});
    else
        engine_run(s, step, "sacct",
                   (const char *const[]){"--noheader", "--parsable2", "--allocations",
                                         "--format=State,ExitCode,NodeList", "--jobs", id,
                                         NULL});
}

static void
engine_start(struct slurm *s, int group)
{
    const struct slurm_group *g = &s->settings->group[group];
    char *script = script_path(s, group);
    char *name = xasprintf("warpjudge-%s-%s", s->id, g->name);
    struct buf exclude = {0};
    struct words words = {0};

    nodes_left_out(s, &exclude);
    pilot_words(g,
                &(struct pilot_job){.name = name,
                                    .folder = s->folder,
                                    .script = script,
                                    .exclude = buf_str(&exclude),
                                    .token = s->current},
                &words);
    s->starting = group;
    s->started = 0;
    s->group[group].to_start--;
    engine_run(s, STEP_START, "sbatch", (const char *const *)words.word);
    words_free(&words);
    buf_free(&exclude);
    free(name);
    free(script);
}

/* Cancels pilots: where the daemon ends all of them, else those that wait in vain. Those
 * of a group that is gone from the config file are never needed. Is there any? */
static bool
engine_cancel(struct slurm *s)
{
    char id[CANCEL_MOST][24];
    const char *words[CANCEL_MOST + 1];
    int left[SLURM_GROUPS_MAX], count = 0;

    for (int i = 0; i < s->settings->count; i++)
        left[i] = slurm_plan_of(s, i).cancel;
    /* The newest first: they wait longest. */
    for (size_t i = s->pilots.count; i-- > 0 && count < CANCEL_MOST;) {
        struct pilot *p = &s->pilots.row[i];

        if (p->cancelled)
            continue;
        if (!s->stopping && p->group >= 0 && !(p->pending && left[p->group]-- > 0))
            continue;
        p->cancelled = true;
        snprintf(id[count], sizeof id[count], "%lld", (long long)p->id);
        words[count] = id[count];
        count++;
    }
    words[count] = NULL;
    if (count > 0)
        engine_run(s, STEP_CANCEL, "scancel", words);
    return count > 0;
}

/* --- what follows from a command ---------------------------------------- */

static void
engine_plan(struct slurm *s)
{
    struct report r = {0};
    bool any = false;

    for (int i = 0; i < s->settings->count; i++) {
        s->group[i].to_start = slurm_plan_of(s, i).start;
        any = any || s->group[i].to_start > 0;
    }
    if (!any || tokens_ready(s, &r) == 0)
        return;
    for (int i = 0; i < s->settings->count; i++)
        if (s->group[i].to_start > 0)
            group_is_refused(s, i, r.text);
}

/* A failure of a while ago is no news where pilots run again. */
static void
groups_look_up(struct slurm *s)
{
    for (int i = 0; i < s->settings->count; i++)
        if (now_ns() >= s->group[i].held_until_ns && pilots_of(&s->pilots, i, false) > 0)
            s->group[i].trouble = (struct report){0};
}

static void
look_ended(struct slurm *s, const struct report *failed)
{
    if (!report_is_set(failed)) {
        if (report_is_set(&s->trouble))
            slurm_say(s, "it answers again");
        s->trouble = (struct report){0};
        s->failures = 0;
        s->next_ns = s->looked_ns + (uint64_t)s->settings->poll_s * SECOND_NS;
        groups_look_up(s);
        if (!s->swept)
            logs_sweep(s);
        s->swept = true;
        return;
    }
    s->failures++;
    s->next_ns = now_ns() + longer_ns(s->failures, 2, AGAIN_MOST_S);
    if (!report_is_set(&s->trouble))
        slurm_say(s, "%s", failed->text);
    s->trouble = *failed;
    /* What is not known is not gone. */
    for (size_t i = 0; i < s->pilots.count; i++)
        s->pilots.row[i].seen = true;
}

static void
start_ended(struct slurm *s, const struct report *failed)
{
    const struct slurm_group *g = &s->settings->group[s->starting];
    struct squeue_job job = {.id = s->started, .state = "PENDING", .token = s->current};
    struct report r = *failed;

    if (!report_is_set(&r) && s->started == 0)
        report_fail(&r, "sbatch does not say the job's number");
    if (report_is_set(&r)) {
        group_is_refused(s, s->starting, r.text);
        return;
    }
    log_line("Slurm: pilot %lld is submitted (%s)", (long long)s->started, g->name);
    pilots_see(&s->pilots, &job, s->starting);
}

/* What scancel has not ended is tried again after the next look. */
static int
cancel_ended(struct slurm *s, const struct report *failed)
{
    if (!report_is_set(failed))
        return 0;
    for (size_t i = 0; i < s->pilots.count; i++)
        s->pilots.row[i].cancelled = false;
    return report_fail(&s->trouble, "%s", failed->text);
}

/* Nothing more is asked about a pilot. */
static void
pilot_is_unexplained(struct slurm *s, const struct pilot *p)
{
    if (!p->cancelled)
        slurm_say(s, "pilot %lld ended, and Slurm does not say how", (long long)p->id);
    log_remove(s, p->id);
}

/* Neither scontrol nor sacct has said how it ended. sacct may know it later. */
static void
gone_is_unexplained(struct slurm *s, const struct report *failed)
{
    const bool first = s->gone.gone_ns == 0;
    struct pilot dropped = {0};

    if (s->gone.cancelled || sacct_is_disabled(failed->text) ||
        !late_keep(s, s->gone, &dropped)) {
        pilot_is_unexplained(s, &s->gone);
        return;
    }
    if (first)
        log_line("Slurm: pilot %lld ended, and Slurm does not say yet how: %s",
                 (long long)s->gone.id,
                 report_is_set(failed) ? failed->text : "its accounts have no end of it");
    if (dropped.id != 0)
        pilot_is_unexplained(s, &dropped);
}

static void
gone_ended(struct slurm *s)
{
    if (s->fate == PILOT_FAILED || s->fate == PILOT_BAD_NODE)
        log_keep(s, s->gone.id);
    else
        log_remove(s, s->gone.id);
}

static void
engine_ended(void *arg, const struct report *failed)
{
    struct slurm *s = arg;
    const enum slurm_step step = s->step;

    s->step = STEP_NONE;
    switch (step) {
    case STEP_LOOK:
        look_ended(s, failed);
        if (report_is_set(failed))
            return;
        break;
    case STEP_EXPLAIN:
        if (!s->explained) {
            engine_explain(s, STEP_RECALL);
            return;
        }
        gone_ended(s);
        break;
    case STEP_RECALL:
        if (s->explained)
            gone_ended(s);
        else
            gone_is_unexplained(s, failed);
        break;
    case STEP_START:
        start_ended(s, failed);
        break;
    default:
        if (cancel_ended(s, failed) != 0)
            return;
        break;
    }
    engine_go_on(s);
}

/* Begins the next command that there is a reason for. */
static void
engine_go_on(struct slurm *s)
{
    bool waits = false;

    if (!s->stopping && pilots_take_gone(&s->pilots, &s->gone)) {
        engine_explain(s, STEP_EXPLAIN);
        return;
    }
    if (!s->stopping && late_take(s, &s->gone)) {
        engine_explain(s, STEP_RECALL);
        return;
    }
    if (!s->stopping && !s->planned) {
        s->planned = true;
        engine_plan(s);
    }
    for (int i = 0; i < s->settings->count && !s->stopping; i++)
        if (s->group[i].to_start > 0) {
            engine_start(s, i);
            return;
        }
    if (engine_cancel(s))
        return;
    for (int i = 0; i < s->settings->count; i++)
        waits = waits || s->waiting[i] > 0;
    tokens_prune(s, s->stopping || (!waits && s->pilots.count == 0));
}

/* --- the clock ---------------------------------------------------------- */

/* Would a look find something to do before it is due? */
static bool
engine_is_wanted(const struct slurm *s)
{
    for (int i = 0; i < s->settings->count; i++) {
        const struct slurm_plan plan = slurm_plan_of(s, i);

        if (plan.start > 0 || plan.cancel > 0)
            return true;
    }
    return false;
}

static void
engine_on_second(evutil_socket_t fd, short what, void *arg)
{
    struct slurm *s = arg;
    const bool first = s->looked_ns == 0;
    LOOP_HANDLER("Slurm");

    (void)fd;
    (void)what;
    if (s->step != STEP_NONE || s->stopping)
        return;
    slurm_count_waiting(s);
    if (s->failures > 0
            ? now_ns() < s->next_ns
            : !first && !engine_is_wanted(s) &&
                  ((s->pilots.count == 0 && s->late_count == 0) || now_ns() < s->next_ns))
        return;
    s->planned = false;
    engine_look(s);
}

/* --- begin and end ------------------------------------------------------ */

/* The number of this judge in the names of its jobs: eight hexadecimal digits. */
static int
judge_id(struct slurm *s, struct report *r)
{
    char *path = xasprintf("%s/slurm-id", s->daemon->config.home);
    struct buf text = {0};
    struct report none = {0};
    int rc = 0;

    if (file_read(path, 64, &text, &none) == 0 &&
        strspn(buf_str(&text), "0123456789abcdef") == 8) {
        memcpy(s->id, buf_str(&text), 8);
    } else {
        hex_draw(s->id, 4);
        rc = file_write(path, s->id, 8, r);
    }
    buf_free(&text);
    free(path);
    return rc;
}

/* Makes the folder of scripts and tokens ours alone. Others who may write to `shared`
 * could have made it before us. */
static int
folder_close(const char *path, struct report *r)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return report_errno(r, "%s cannot be looked at", path);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return report_fail(r, "%s is not a folder of this user's: remove it", path);
    if (chmod(path, 0700) != 0)
        return report_errno(r, "%s cannot be closed to others", path);
    return 0;
}

static int
engine_begin(struct slurm *s, struct report *r)
{
    static const struct timeval SECOND = {.tv_sec = 1};
    static const char *const NEEDED[] = {"squeue", "sbatch", "scancel", "scontrol"};
    struct daemon *d = s->daemon;

    for (size_t i = 0; i < sizeof NEEDED / sizeof *NEEDED; i++) {
        char *path = slurm_command_find(NEEDED[i]);

        if (path == NULL)
            return report_fail(
                r, "[slurm] needs Slurm's command %s, which is not on PATH", NEEDED[i]);
        free(path);
    }
    if (judge_id(s, r) != 0)
        return -1;
    /* So that people can choose the board before its first worker is there. */
    for (int i = 0; i < s->settings->count; i++) {
        const struct slurm_group *g = &s->settings->group[i];

        if (g->arch != NULL &&
            devices_add_board(&d->devices, g->board, g->arch, 0, 0, r) != 0)
            return -1;
        if (g->gpus > 1)
            devices_note_pair(&d->devices, g->board);
    }
    s->folder = xasprintf("%s/warpjudge-%s", s->settings->shared, s->id);
    s->program = s->settings->program != NULL
                     ? xstrdup(s->settings->program)
                     : xasprintf("%s/bin/warpjudge", d->config.prefix);
    if (file_mkdirs(s->settings->shared, r) != 0 || file_mkdirs(s->folder, r) != 0)
        return -1;
    if (folder_close(s->folder, r) != 0)
        return -1;
    s->timer = event_new(d->base, -1, EV_PERSIST, engine_on_second, s);
    if (s->timer == NULL || event_add(s->timer, &SECOND) != 0)
        return report_fail(r, "out of memory");
    return 0;
}

int
slurm_new(struct daemon *d, struct slurm **out, struct report *r)
{
    struct slurm *s;

    if (d->settings.slurm == NULL || d->settings.slurm->line == 0)
        return 0;
    s = xcalloc(1, sizeof *s);
    s->daemon = d;
    s->settings = d->settings.slurm;
    s->command.line = engine_line;
    s->command.ended = engine_ended;
    s->command.arg = s;
    if (engine_begin(s, r) != 0) {
        slurm_free(s);
        return -1;
    }
    *out = s;
    return 0;
}

void
slurm_stop(struct slurm *s)
{
    const uint64_t deadline = now_ns() + STOP_NS;

    if (s == NULL)
        return;
    s->stopping = true;
    if (s->step == STEP_NONE)
        engine_go_on(s);
    while (s->step != STEP_NONE && now_ns() < deadline)
        if (event_base_loop(s->daemon->base, EVLOOP_ONCE) != 0)
            break;
    if (s->step != STEP_NONE)
        log_line("Slurm: %s does not end; pilots that are left end by themselves",
                 s->command.program);
    /* A pilot that scancel has not reached gets no work any more. */
    pilots_free(&s->pilots);
    tokens_prune(s, true);
}

void
slurm_free(struct slurm *s)
{
    if (s == NULL)
        return;
    if (s->timer != NULL)
        event_free(s->timer);
    pilots_free(&s->pilots);
    for (int i = 0; i < s->event_count; i++)
        free(s->event[i].text);
    free(s->folder);
    free(s->program);
    free(s);
}
