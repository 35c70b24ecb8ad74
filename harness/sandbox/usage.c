#include "sandbox/usage.h"

#include "base/buf.h"
#include "base/file.h"
#include "sandbox/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ABSENCE_NS_MAX 1000000 /* of the looking thread, during a look */
#define LOOK_NS_MIN                                                                      \
    UINT64_C(8000000) /* between two looks, and up to half as much more                  \
                       */

/* --- from readings to sleep -------------------------------------------------- */

/* What the thread had waited at the reading before; 0: it was not there, or its number is
 * another's now. from: where it is, most likely. */
static uint64_t
delay_before(const struct usage_reading *last, const struct usage_thread *t, int from)
{
    for (int i = 0; i < last->threads; i++) {
        const struct usage_thread *was = &last->thread[(from + i) % last->threads];

        if (was->id == t->id)
            return was->delay_ns <= t->delay_ns ? was->delay_ns : 0;
    }
    return 0;
}

static uint64_t
delay_since(const struct usage_reading *last, const struct usage_reading *now)
{
    uint64_t sum = 0;

    for (int i = 0; i < now->threads; i++)
        sum += now->thread[i].delay_ns - delay_before(last, &now->thread[i], i);
    return sum;
}

static uint64_t
idle_ns(const struct usage_reading *last, const struct usage_reading *now)
{
    const uint64_t cpu_ns = now->cpu_ns - last->cpu_ns;
    uint64_t ns = now->at_ns - last->at_ns, busy_ns;

    if (cpu_ns == 0)
        return ns;
    busy_ns = cpu_ns + delay_since(last, now);
    if (ns > USAGE_STEP_NS)
        ns = USAGE_STEP_NS;
    return ns > busy_ns ? ns - busy_ns : 0;
}

void
usage_account_pause(struct usage_account *a)
{
    if (a->has_last)
        free(a->last.thread);
    a->last = (struct usage_reading){0};
    a->has_last = false;
}

void
usage_account_add(struct usage_account *a, const struct usage_reading *now)
{
    if (a->has_last && now->at_ns > a->last.at_ns && now->cpu_ns >= a->last.cpu_ns &&
        now->state != USAGE_RUNNABLE && a->last.state != USAGE_RUNNABLE) {
        const bool blocked =
            now->state == USAGE_BLOCKED || a->last.state == USAGE_BLOCKED;

        *(blocked ? &a->blocked_ns : &a->slept_ns) += idle_ns(&a->last, now);
    }
    usage_account_pause(a);
    a->last = *now;
    a->has_last = true;
}

/* --- looking ------------------------------------------------------------------ */

uint64_t
usage_cpu_ns(struct usage *u, int i)
{
    struct sandbox_process *p = u->process[i];
    struct timespec t;
    clockid_t clock;

    if (p != NULL && sandbox_find_program(p) &&
        clock_getcpuclockid(p->program, &clock) == 0 && clock_gettime(clock, &t) == 0) {
        const uint64_t ns =
            (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;

        if (ns > u->cpu_ns[i])
            u->cpu_ns[i] = ns;
    }
    return u->cpu_ns[i];
}

static uint64_t
cpu_of_all(struct usage *u)
{
    uint64_t ns = 0;

    for (int i = 0; i < USAGE_PROCESSES_MAX; i++)
        ns += usage_cpu_ns(u, i);
    return ns;
}

/* "time on a CPU, time waiting for one, number of times", in ns; 0 where that is not
 * told. */
static uint64_t
read_delay(int dir, const char *path)
{
    char text[80];
    char *at = text;

    if (proc_read(dir, path, text, sizeof text) < 0)
        return 0;
    (void)strtoull(at, &at, 10);
    return strtoull(at, NULL, 10);
}

/* Adds a thread to the reading. One that has ended is none. */
static void
look_at_thread(int tasks, const char *name, struct usage_reading *out)
{
    char path[40], state;
    pid_t parent;

    snprintf(path, sizeof path, "%.20s/stat", name);
    if (proc_stat(tasks, path, &state, &parent) != 0 || state == 'Z' || state == 'X')
        return;
    if (state == 'R')
        out->state = USAGE_RUNNABLE;
    else if (state == 'D' && out->state == USAGE_ASLEEP)
        out->state = USAGE_BLOCKED;
    if (out->threads % 16 == 0)
        out->thread =
            xrealloc(out->thread, ((size_t)out->threads + 16) * sizeof *out->thread);
    snprintf(path, sizeof path, "%.20s/schedstat", name);
    out->thread[out->threads++] = (struct usage_thread){
        .id = (int)strtol(name, NULL, 10), .delay_ns = read_delay(tasks, path)};
}

/* false: it has no threads that could be seen. */
static bool
look_at_process(struct sandbox_process *p, struct usage_reading *out)
{
    const int before = out->threads;
    const struct dirent *e;
    char path[40];
    DIR *tasks;

    if (!sandbox_find_program(p))
        return false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->program);
    tasks = opendir(path);
    while (tasks != NULL && out->state != USAGE_RUNNABLE && (e = readdir(tasks)) != NULL)
        if (e->d_name[0] != '.')
            look_at_thread(dirfd(tasks), e->d_name, out);
    if (tasks != NULL)
        closedir(tasks);
    return out->threads > before;
}

/* How long this thread has not run, but for a constant: only differences mean anything,
 * and they may be a little below 0, since it is made of two clocks. */
static int64_t
own_absence_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)now_ns() - ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec);
}

void
usage_look(struct usage *u)
{
    const int64_t absence = own_absence_ns();
    struct usage_reading now = {.at_ns = now_ns(), .cpu_ns = cpu_of_all(u)};

    now.state = USAGE_ASLEEP;
    for (int i = 0; i < USAGE_PROCESSES_MAX && now.state != USAGE_RUNNABLE; i++)
        if (u->process[i] != NULL && !look_at_process(u->process[i], &now))
            now.state = USAGE_RUNNABLE;
    if (own_absence_ns() - absence > ABSENCE_NS_MAX)
        now.state = USAGE_RUNNABLE;
    usage_account_add(&u->account, &now);
}

uint64_t
usage_next_ns(uint64_t now)
{
    uint64_t some;

    random_bytes(&some, sizeof some);
    return now + LOOK_NS_MIN + some % (LOOK_NS_MIN / 2);
}
