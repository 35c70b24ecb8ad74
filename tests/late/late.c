/* A shared library for LD_PRELOAD: the judge's daemon and its workers hear of everything
 * late, and in another order, as on a machine that has too much to do.
 *
 * libevent asks epoll_wait() which descriptors are ready: pipes of children, the pipe
 * that tells of a signal, sockets, what threads have finished. Here each that becomes
 * ready may be held back, and the others are shuffled. libevent uses epoll
 * level-triggered, so that epoll tells of a held one again. The loop itself stands still
 * now and then. `warpjudge worker` waits in poll(), and is paused before it.
 *
 * Other programs that load this do what they always do. Children of the daemon and of a
 * worker do not load it: their sandbox has no such file. */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define HOLD_CHANCE 0.2   /* that what becomes ready is held */
#define STALL_CHANCE 0.01 /* that the loop stands still before it looks */
#define LATE_LEAST_S 0.002
#define LATE_MOST_S 2.5
#define LOOK_AGAIN_NS 2000000
#define FDS_MAX 65536

static int (*next_epoll_wait)(int, struct epoll_event *, int, int);
static int (*next_poll)(struct pollfd *, nfds_t, int);
static bool holds, pauses;
static uint64_t random_state;
static uint64_t held_until_ns[FDS_MAX]; /* 0: not held */

static uint64_t
late_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* In [0, 1). By Marsaglia's xorshift, "Xorshift RNGs" (2003). */
static double
late_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* As many short ones as long ones: the logarithm is uniform. */
static uint64_t
late_span_ns(void)
{
    const double span_s = LATE_LEAST_S * pow(LATE_MOST_S / LATE_LEAST_S, late_random());

    return (uint64_t)(span_s * 1e9);
}

static void
late_sleep(uint64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / UINT64_C(1000000000)),
                               .tv_nsec = (long)(ns % UINT64_C(1000000000))};

    (void)nanosleep(&t, NULL);
}

/* Is the first argument of this process `word`? */
static bool
late_was_asked_for(const char *word)
{
    FILE *f = fopen("/proc/self/cmdline", "re");
    char *argument = NULL;
    size_t cap = 0;
    bool same = false;

    if (f == NULL)
        return false;
    if (getdelim(&argument, &cap, '\0', f) > 0 && getdelim(&argument, &cap, '\0', f) > 0)
        same = strcmp(argument, word) == 0;
    free(argument);
    fclose(f);
    return same;
}

__attribute__((constructor)) static void
late_begin(void)
{
    next_epoll_wait =
        (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
    next_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    random_state = late_now_ns() ^ ((uint64_t)getpid() << 32) ^ 1;
    holds = strcmp(program_invocation_short_name, "warpjudged") == 0;
    pauses = strcmp(program_invocation_short_name, "warpjudge") == 0 &&
             late_was_asked_for("worker");
    if (holds || pauses || strncmp(program_invocation_short_name, "warpjudge-", 10) == 0)
        unsetenv("LD_PRELOAD");
}

/* Keeps of `events` what is not held, and shuffles it. Returns how many they are. */
static int
late_keep(struct epoll_event *events, int count)
{
    const uint64_t now_ns = late_now_ns();
    int kept = 0;

    for (int i = 0; i < count; i++) {
        const int fd = events[i].data.fd; /* libevent has the descriptor there */

        if (fd >= 0 && fd < FDS_MAX) {
            if (held_until_ns[fd] == 0 && late_random() < HOLD_CHANCE)
                held_until_ns[fd] = now_ns + late_span_ns();
            if (held_until_ns[fd] > now_ns)
                continue;
            held_until_ns[fd] = 0;
        }
        events[kept++] = events[i];
    }
    for (int i = kept - 1; i > 0; i--) {
        const int j = (int)(late_random() * (i + 1));
        const struct epoll_event other = events[j];

        events[j] = events[i];
        events[i] = other;
    }
    return kept;
}

int
epoll_wait(int epfd, struct epoll_event *events, int max, int timeout_ms)
{
    const uint64_t end_ns = late_now_ns() + (uint64_t)timeout_ms * UINT64_C(1000000);
    bool first = true;

    if (!holds)
        return next_epoll_wait(epfd, events, max, timeout_ms);
    if (late_random() < STALL_CHANCE)
        late_sleep(late_span_ns());
    for (;;) {
        /* Once something is held, epoll does not wait: it is ready all the time. */
        const int count = next_epoll_wait(epfd, events, max, first ? timeout_ms : 0);
        const int kept = count > 0 ? late_keep(events, count) : count;

        if (kept != 0 || (first && count == 0))
            return kept;
        if (timeout_ms >= 0 && late_now_ns() >= end_ns)
            return 0;
        first = false;
        late_sleep(LOOK_AGAIN_NS);
    }
}

int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (pauses && late_random() < HOLD_CHANCE)
        late_sleep(late_span_ns());
    return next_poll(fds, count, timeout_ms);
}
