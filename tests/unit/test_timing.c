// links: arbiter device gpu_owner sandbox core
/*
 * Timed judgements as on a GPU, on the device "host": submissions in C in the real runner
 * and the real sandbox, an empty solve() whose interval is subtracted. What only a GPU
 * has is played by the device's operations: its rates, a flush that something slows down,
 * and its memory, of which a program only says what it takes.
 *
 * The clock of intervals is played, too, so that a busy machine has no part in them: what
 * a call takes is what its program says that it takes, and what play says of flushes and
 * copies. And where it matters who is first, one waits for the other.
 */
#include "arbiter/calibration.h"
#include "arbiter/judgement.h"
#include "arbiter/quiet.h"
#include "arbiter/room.h"
#include "arbiter/timing_impl.h"
#include "core/file.h"
#include "device/device_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SIGNATURE "void solve(const float *A, const float *B, float *C, int N)"
#define SUM "for (int i = 0; i < N; i++) C[i] = A[i] + B[i]; "
#define ELEMENTS 200000
#define SAMPLES_MIN 16
#define GIB ((uint64_t)1 << 30)
#define CARD_BYTES (100 * GIB)
#define DEVICE_BYTES (5 * 8 * 4 * (uint64_t)ELEMENTS * 4) /* a fifth: eight sets */

static char folder[] = "/tmp/warpjudge-timing-XXXXXX";

/* What the device plays in the judgement to come. */
static struct play {
    bool has_rates, rates_fail;
    double copy_bytes_per_ns, after_bytes_per_ns; /* after: in the second calibration */
    double peak_bytes_per_ns;                     /* of its memory's pins */
    int slow_from, slow_count; /* flushes of the timed calls that something slows down */
    int short_at; /* the number, from 1, of the one that the driver has no memory for */
    int rates_calls, flushes;
    const struct judgement *j;
    bool poisons; /* the output does not start as zeros */
    bool timed;   /* the submission's timed calls have begun */
    bool loaded;  /* some of it was loaded before, in whichever process */
    bool spoke;   /* it has printed something since */
    bool lives;   /* it does in the second calibration */
    bool behind;  /* copies can be queued; they are made BEHIND_MS later */
    double empty_copy_ns, copy_ns; /* what such a copy takes, of which calls' outputs */
    double bus_bytes; /* of each timed call; < 0: the card does not count them */
    int bus_every;    /* only of one in so many; 0: of all */
    int bus_asked;    /* in the timed calls: before and after each */
    int bus_stops;    /* the number, from 1, of the question that fails; 0: none */
    double bus;
    bool sends;        /* the program does, and says how many GiB so far (TALKS) */
    const char *fails; /* a part of what our failure says; NULL: we do not fail */
    int flush_ms;      /* of every flush */
    bool early; /* those of the empty calls do not wait: its C[0] says when they end */
    enum {
        IN_TIME,
        LATE_SAMPLE, /* one of them */
        LATE_SAMPLES,
        LATE,
    } late;   /* which calls' programs are done only after the copy */
    int torn; /* the number, from 1, of the samples' copy that is not of the outputs; 0:
                 none */
    int queued, queued_samples, holds, released;
    struct device_buffer *to;
    const struct device_buffer *from;
    long step_ms;  /* of a neighbour that prepares, and slows flushes down; 0: none */
    long leave_ms; /* who judged before is gone only so long after the go; 0: before */
    int beside;    /* looks at the memory of calls before that */
    int disturbed; /* flushes that it did */
    int last_disturbed;             /* the number of the last one, in the timed calls */
    int time_limit_ms;              /* 0: the problem's */
    bool tells;                     /* what memory is free */
    uint64_t taken_gib, others_gib; /* by the program, and by somebody else */
    uint64_t between_gib;    /* by the program, where nobody looks until a call fails */
    int starved_at;          /* the number, from 1, of the flush of the timed calls after
                                which that is so, and the reference is short; 0: none */
    int looks_since_starved; /* at the memory */
    uint64_t clock_ns;
    bool many_cpus;      /* more than there may be: then neither side sleeps */
    bool preempts_empty; /* our thread loses its CPU in each empty call, */
    bool preempts;       /* or in slow flushes, which are so for that */
    long preemptions;
    int launches, late_every; /* of the empty solve(); one in so many is late; 0: none */
} play;

/* What the neighbour, a process of its own, does. */
static struct shared {
    volatile bool inside, leaving;
    volatile int steps;
} * neighbour;

#define MS UINT64_C(1000000)
#define READING_NS 1000
#define BEHIND_MS 8
#define KERNEL_NS 200000 /* where copies can be queued */
#define SLOW_MS 30
#define EARLY 12345
#define EMPTY_BUS 10e3

/* Behind the last element of a buffer of the program's: what it says, and is told. */
struct mail {
    volatile uint64_t magic; /* MEMORY: it has taken memory, which was not heard yet */
    uint64_t gib;
    uint64_t others;          /* 1: it plays somebody else */
    uint64_t spent_us;        /* what it says that it takes, and was not heard yet */
    volatile uint64_t late;   /* it is to be late with this call, */
    volatile uint64_t copied; /* until this copy was made */
};

#define MEMORY UINT64_C(0x7461206b656e2121)

/* What a reference in C needs to be short of memory: starve() says so behind the last
 * element of its output; ends is how the call ends. */
#define STARVED UINT64_C(0x737461727665643f)
#define STARVES                                                                          \
    "int puts(const char *); void _exit(int); int fflush(void *);\n"                     \
    "static int ends, calls;\n"                                                          \
    "int cudaDeviceSynchronize(void) { return ends; }\n"                                 \
    "static int is_starved(float *C, int N) {\n"                                         \
    "  return *(unsigned long *)(((unsigned long)(C + N) + 4095) / 4096 * 4096 - 8)\n"   \
    "         == 0x737461727665643f; }\n"

/* What a program needs for it. Who waits goes on after a while: in a call whose outputs
 * are copied after DONE nobody answers. Late is who is not done when the copy is, nor in
 * the millisecond that DONE may be late by. */
#define TALKS                                                                            \
    "int usleep(unsigned); static int calls;\n"                                          \
    "static volatile unsigned long *mail(float *C, int N) {\n"                           \
    "  return (void *)(((unsigned long)(C + N) + 4095) / 4096 * 4096 - 48); }\n"         \
    "static void take(float *C, int N, unsigned long gib, unsigned long others) {\n"     \
    "  volatile unsigned long *m = mail(C, N);\n"                                        \
    "  m[1] = gib; m[2] = others; m[0] = 0x7461206b656e2121; }\n"                        \
    "static void take_a_while(float *C, int N, unsigned long gib) {\n"                   \
    "  take(C, N, gib, 0);\n"                                                            \
    "  for (int i = 0; i < 5000 && mail(C, N)[0] != 0; i++) usleep(100);\n"              \
    "  take(C, N, 0, 0); }\n"                                                            \
    "static void spend(float *C, int N, unsigned long us) {\n"                           \
    "  __atomic_fetch_add(&mail(C, N)[3], us, __ATOMIC_SEQ_CST); }\n"                    \
    "static void be_late(float *C, int N) {\n"                                           \
    "  volatile unsigned long *m = mail(C, N);\n"                                        \
    "  for (int i = 0; i < 300 && m[4] && !m[5]; i++) usleep(100);\n"                    \
    "  if (m[4]) usleep(5000); }\n"

/* NULL: this buffer has none. */
static struct mail *
mail_of(const struct device_buffer *b)
{
    size_t bytes;
    char *slack = device_slack(b, &bytes);

    if (!b->shareable || bytes < sizeof(struct mail))
        return NULL;
    return (struct mail *)(void *)(slack + bytes - sizeof(struct mail));
}

/* Is the warm-up over? */
static bool
is_sampling(void)
{
    return play.j->result.timing.empty_ns > 0;
}

/* Is the call that begins? */
static bool
is_late(void)
{
    switch (play.late) {
    case IN_TIME:
        break;
    case LATE_SAMPLE:
        return is_sampling() && play.queued_samples == 3;
    case LATE_SAMPLES:
        return is_sampling();
    case LATE:
        return true;
    }
    return false;
}

/* To every program, as it does not know a call's buffers before. */
static void
tell_programs(struct device *d)
{
    const bool late = play.j->loaded && is_late();

    for (struct device_buffer *b = d->buffers; b != NULL; b = b->next) {
        struct mail *m = mail_of(b);

        if (m == NULL)
            continue;
        m->copied = false;
        m->late = late;
    }
}

static int (*host_poison)(struct device *d, struct device_buffer *b, uint64_t seed,
                          struct report *r);

/* It goes as far as the page does, and is no mail. */
static int
play_poison(struct device *d, struct device_buffer *b, uint64_t seed, struct report *r)
{
    struct mail *m = mail_of(b);
    int rc = host_poison(d, b, seed, r);

    if (m != NULL)
        memset(m, 0, sizeof *m);
    return rc;
}

static void
hear_spent(struct device *d)
{
    for (struct device_buffer *b = d->buffers; b != NULL; b = b->next) {
        struct mail *m = mail_of(b);

        if (m != NULL)
            play.clock_ns +=
                1000 * __atomic_exchange_n(&m->spent_us, 0, __ATOMIC_SEQ_CST);
    }
}

static void
hear_memory(struct device_buffer *b)
{
    struct mail *m = mail_of(b);

    if (m == NULL || m->magic != MEMORY)
        return;
    if (m->others)
        play.others_gib = m->gib;
    else
        play.taken_gib = m->gib;
    m->magic = 0;
}

/* In the C library's place: the clock that intervals are read from. Deadlines, and how
 * long is measured at all, are by another one, which is the machine's. */
int
clock_gettime(clockid_t id, struct timespec *out)
{
    if (id != CLOCK_MONOTONIC_RAW)
        return (int)syscall(SYS_clock_gettime, id, out);
    hear_spent(play.j->device);
    play.clock_ns += READING_NS; /* who waits by it gets on */
    *out = (struct timespec){.tv_sec = (time_t)(play.clock_ns / (1000 * MS)),
                             .tv_nsec = (long)(play.clock_ns % (1000 * MS))};
    return 0;
}

/* The host: how many CPUs it has, and who has lost them. */
static int
play_cpus(void)
{
    return play.many_cpus ? 8 : 1;
}

static long
play_preemptions(void)
{
    play.preemptions += play.preempts_empty;
    return play.preemptions;
}

static struct runner_host
play_runner(const struct runner_reply *reply)
{
    struct runner_host host = host_linux.runner(reply);

    play.launches++;
    host.preempted = 0;
    host.launch_ns =
        play.late_every > 0 && play.launches % play.late_every == 0 ? 200000 : 0;
    return host;
}

static const struct host_ops play_host = {play_cpus, play_preemptions, play_runner};

/* For a submission whose constructor prints. */
static void
look_for_submission(void)
{
    const bool speaks = runner_link_output(play.j->runner)->len > 0;

    *(play.j->loaded ? &play.spoke : &play.loaded) |= speaks;
}

static int
play_rates(struct device *d, struct device_rates *out, struct report *r)
{
    const bool second = play.rates_calls++ > 0;

    if (!second)
        look_for_submission();
    else
        play.lives = play.j->runner != NULL;
    (void)d;
    if (play.rates_fail)
        return report_fail(r, "the card is not in the mood");
    *out = (struct device_rates){.id = "GPU-played",
                                 .copy_bytes_per_ns = second ? play.after_bytes_per_ns
                                                             : play.copy_bytes_per_ns,
                                 .read_bytes_per_ns = play.copy_bytes_per_ns,
                                 .fp32_per_ns = 1e9,
                                 .peak_bytes_per_ns = play.peak_bytes_per_ns,
                                 .units = {.fp32 = 1}};
    return 1;
}

/* The card has no memory for the reference's next call. */
static void
starve(void)
{
    size_t bytes;
    char *slack = device_slack(play.j->timing->answer.ran.buffer[2], &bytes);
    const uint64_t word = STARVED;

    assert_true(bytes >= sizeof word);
    memcpy(slack + bytes - sizeof word, &word, sizeof word);
}

static int
play_flush(struct device *d, struct report *r)
{
    int number;

    (void)d;
    look_for_submission();
    if (play.j->loaded && !play.timed) {
        play.timed = true;
        play.flushes = 0;
    }
    number = play.flushes++;
    play.clock_ns += (uint64_t)play.flush_ms * MS;
    if (neighbour->inside) {
        play.disturbed++;
        play.last_disturbed = number;
        play.clock_ns += SLOW_MS * MS;
    }
    if (play.timed && number >= play.slow_from &&
        number < play.slow_from + play.slow_count) {
        play.clock_ns += SLOW_MS * MS;
        play.preemptions += play.preempts;
    }
    if (play.timed && number == play.starved_at - 1)
        starve();
    if (play.timed && number == play.short_at - 1)
        return report_fail(r, "the driver is out of memory");
    return 0;
}

static int
play_copy_queue(struct device *d, struct device_buffer *to,
                const struct device_buffer *from, struct report *r)
{
    (void)d;
    (void)r;
    play.to = to;
    play.from = from;
    play.queued += play.j->loaded;
    play.queued_samples += is_sampling();
    return 0;
}

/* Has a runner something to say? */
static bool
anybody_answers(void)
{
    for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int type = 0;
        socklen_t len = sizeof type;

        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
            type == SOCK_SEQPACKET && poll(&p, 1, 0) > 0)
            return true;
    }
    return false;
}

/* The copy waits for the program's work, unless that is late. */
static void
await_work(const struct mail *m)
{
    const struct timespec step = {.tv_nsec = 100000};

    for (int i = 0; i < 20000 && !m->late && !anybody_answers(); i++)
        (void)nanosleep(&step, NULL);
}

static int
play_wait(struct device *d, double *ns, struct report *r)
{
    const bool early = play.early && !play.j->loaded;
    struct mail *m = mail_of(play.from);
    int rc;

    *ns = play.j->loaded ? play.copy_ns : play.empty_copy_ns;
    play.clock_ns += BEHIND_MS * MS + (play.j->loaded ? KERNEL_NS : 0);
    if (early)
        *(float *)(uintptr_t)device_view(play.from) = EARLY;
    else
        await_work(m);
    if (play.torn != 0 && play.queued_samples == play.torn)
        rc = device_zero(d, play.to, r);
    else
        rc = device_copy(d, play.to, play.from, r);
    m->copied = true;
    return rc;
}

static int
play_begin(struct device *d, struct report *r)
{
    (void)d;
    (void)r;
    return 0;
}

static double
play_bus(struct device *d)
{
    if (play.bus_bytes < 0)
        return -1;
    for (struct device_buffer *b = d->buffers; b != NULL && play.sends; b = b->next)
        hear_memory(b);
    if (play.sends)
        return (double)play.taken_gib * (double)GIB;
    if (!play.j->loaded)
        return play.bus += EMPTY_BUS;
    if (++play.bus_asked == play.bus_stops)
        return -1;
    if (play.bus_every > 0 && play.bus_asked / 2 % play.bus_every != 0)
        return play.bus += EMPTY_BUS;
    return play.bus += play.bus_bytes;
}

static int
play_hold(struct device *d, double ns, struct report *r)
{
    (void)r;
    tell_programs(d);
    play.holds += ns > 0;
    return 0;
}

static int
play_let_go(struct device *d, struct report *r)
{
    (void)d;
    if (++play.released != play.holds)
        return report_fail(r, "a card is let go that is not held");
    return 0;
}

static int
play_free_bytes(struct device *d, uint64_t *out, struct report *r)
{
    (void)r;
    for (struct device_buffer *b = d->buffers; b != NULL; b = b->next)
        hear_memory(b);
    play.beside += play.j->loaded && neighbour->leaving;
    /* The look at the call itself comes too early. */
    if (play.starved_at > 0 && play.timed && play.flushes >= play.starved_at &&
        play.looks_since_starved++ > 0)
        play.taken_gib = play.between_gib;
    if (play.j->runner == NULL)
        play.taken_gib = 0;
    *out = CARD_BYTES - (play.taken_gib + play.others_gib) * GIB - device_own_bytes(d);
    return 0;
}

static void
write_text(const char *name, const char *text)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct report r = {0};

    if (file_write(path, text, strlen(text), &r) != 0)
        fail_msg("%s", r.text);
    free(path);
}

static void
compile(const char *program, const char *prelude, const char *body)
{
    char *source =
        xasprintf("%s\n" SIGNATURE " { %s }\n"
                  "void warpjudge_entry(void *const *a) {\n"
                  "  solve(*(float **)a[0], *(float **)a[1], *(float **)a[2],\n"
                  "        *(int *)a[3]); }\n",
                  prelude, body);
    char *command = xasprintf("gcc -w -O1 -shared -fPIC -Iharness %s/source.c "
                              "harness/runner/guest.c -o %s/%s",
                              folder, folder, program);

    write_text("source.c", source);
    assert_int_equal(system(command), 0);
    free(source);
    free(command);
}

static void
write_job(int attempt)
{
    struct job job = {.id = 1,
                      .attempt = attempt,
                      .sample_tests_only =
                          true, /* so that no GPU is asked for: see judge() */
                      .problem = (char *)"vector-addition",
                      .problems_dir = realpath("problems", NULL),
                      .device = (char *)"host",
                      .arch = (char *)"compute_80",
                      .filename = (char *)"a.cu",
                      .cache_dir = folder};
    struct report r = {0};

    if (job_write(folder, &job, &r) != 0)
        fail_msg("%s", r.text);
    free(job.problems_dir);
}

static int
set_up(void **state)
{
    (void)state;
    neighbour = mmap(NULL, sizeof *neighbour, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (neighbour == MAP_FAILED || mkdtemp(folder) == NULL ||
        setenv("WARPJUDGE_HOME", folder, 1) != 0)
        return -1;
    compile("reference", "", SUM);
    compile("null", "", "");
    write_text("reference.kind", "c\n");
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    munmap(neighbour, sizeof *neighbour);
    return file_remove_tree(folder, NULL);
}

static void
forget_calibrations(void)
{
    char *calibration = xasprintf("%s/calibration", folder);

    file_remove_tree(calibration, NULL);
    free(calibration);
}

static int
forget(void **state)
{
    char *quiet = xasprintf("%s/quiet", folder); /* a failed test keeps its locks there */

    (void)state;
    play = (struct play){0};
    *neighbour = (struct shared){0};
    forget_calibrations();
    file_remove_tree(quiet, NULL);
    free(quiet);
    return 0;
}

/* What a judgement that will be timed begins with. */
static void
load_null(struct judgement *j)
{
    char *null = xasprintf("%s/null", folder);
    struct report r = {0};

    if (runner_link_load(j->runner, null, &r) != 0)
        fail_msg("%s", r.text);
    free(null);
}

/* Prepares without end, one step upon the other. */
static pid_t
start_neighbour(void)
{
    const struct timespec step = {.tv_sec = play.step_ms / 1000,
                                  .tv_nsec = play.step_ms % 1000 * (long)MS};
    struct report r = {0};
    struct quiet *q;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    if (quiet_open(folder, "host", true, &q, &r) != 0)
        _exit(1);
    for (;;) {
        quiet_enter(q);
        neighbour->inside = true;
        (void)nanosleep(&step, NULL);
        neighbour->inside = false;
        neighbour->steps++;
        quiet_leave(q, 0);
    }
}

/* Has judged, and takes its time. */
static pid_t
start_leaving(void)
{
    const struct timespec rest = {.tv_sec = play.leave_ms / 1000,
                                  .tv_nsec = play.leave_ms % 1000 * (long)MS};
    const struct timespec step = {.tv_nsec = (long)MS};
    struct report r = {0};
    struct quiet *q;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (quiet_open(folder, "host", false, &q, &r) != 0)
            _exit(1);
        quiet_begin(q);
        neighbour->leaving = true;
        (void)nanosleep(&rest, NULL);
        neighbour->leaving = false;
        _exit(0);
    }
    while (!neighbour->leaving && waitpid(pid, NULL, WNOHANG) == 0)
        (void)nanosleep(&step, NULL);
    assert_true(neighbour->leaving);
    return pid;
}

static int
run_beside_leaving(struct judgement *j, struct report *r)
{
    const pid_t pid = start_leaving();
    int rc = judgement_run(j, r);

    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return rc;
}

static int
run_beside_neighbour(struct judgement *j, struct report *r)
{
    const pid_t pid = start_neighbour();
    int rc = judgement_run(j, r);

    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    neighbour->inside = false;
    return rc;
}

/* Judges FOLDER/submission, timed. j is the caller's to close. */
static void
judge(struct judgement *j, int attempt)
{
    static struct device_ops ops;
    struct report r = {0};
    int rc;

    write_job(attempt);
    if (judgement_open(j, folder, false, &r) != 0 || judgement_prepare(j, &r) != 0)
        fail_msg("%s", r.text);
    j->job.sample_tests_only = false;
    j->problem->test_count = 1;
    j->problem->benchmark_cuda.scalar[3] = ELEMENTS;
    j->problem->benchmark_cuda.exact[3] = ELEMENTS;
    ops = *j->device->ops;
    host_poison = ops.poison;
    ops.poison = play_poison;
    ops.flush = play_flush;
    if (play.has_rates)
        ops.rates = play_rates;
    ops.bus_bytes = play_bus;
    if (play.tells)
        ops.free_bytes = play_free_bytes;
    if (play.behind) {
        ops.copy_queue = play_copy_queue;
        ops.wait = play_wait;
        ops.queue = ops.await_hold = play_begin;
        ops.hold = play_hold;
        ops.let_go = play_let_go;
    }
    j->device->ops = &ops;
    j->host = &play_host;
    j->device->info.memory_bytes = DEVICE_BYTES;
    if (play.poisons)
        j->problem->param[2].start = START_POISON;
    if (play.time_limit_ms > 0)
        j->problem->time_limit_ms = play.time_limit_ms;
    load_null(j);
    play.j = j;
    if (play.step_ms > 0)
        rc = run_beside_neighbour(j, &r);
    else if (play.leave_ms > 0)
        rc = run_beside_leaving(j, &r);
    else
        rc = judgement_run(j, &r);
    if (play.fails != NULL ? rc == 0 || strstr(r.text, play.fails) == NULL : rc != 0)
        fail_msg("%s", r.text);
}

static void
a_time_has_an_interval_and_enough_samples(void **state)
{
    struct judgement j;
    const struct timing *t = &j.result.timing;

    (void)state;
    compile("submission", TALKS, SUM "spend(C, N, 1000 * (1 + calls++ % 3));");
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(t->present && !t->modelled);
    assert_true(t->sample_count >= SAMPLES_MIN);
    assert_true(t->empty_ns > 0);
    assert_float_equal(t->median_ns, 2e6, 1);
    assert_true(t->low_ns <= t->median_ns && t->median_ns <= t->high_ns);
    assert_float_equal(t->roofline_ns, 0, 0);
    assert_null(t->conditions);
    assert_null(t->remark);
    judgement_close(&j);
}

/* The process that the empty calls are timed in has nothing of it, until they have been
 * and the card was calibrated. */
static void
nothing_is_loaded_while_the_empty_calls_are_timed(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 1e9, .after_bytes_per_ns = 1e9};
    compile(
        "submission",
        "long write(int, const void *, unsigned long);\n"
        "__attribute__((constructor)) static void first(void) { write(1, \"!\", 1); }",
        SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(play.rates_calls, 2);
    assert_false(play.loaded);
    assert_true(play.spoke);
    assert_false(play.lives);
    judgement_close(&j);
}

/* Three calls of 0.7 s take more than the time that samples may take, by the clock that
 * this is bounded by. */
static void
a_slow_warm_up_costs_no_samples(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", TALKS,
            "if (N == 200000 && calls++ < 3) { usleep(700000); spend(C, N, 700000); } "
            "else spend(C, N, calls % 2 ? 300 : 900); " SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(j.result.timing.sample_count > SAMPLES_MIN);
    assert_true(j.result.timing.median_ns >= 300e3 && j.result.timing.median_ns <= 900e3);
    judgement_close(&j);
}

/* A program that is right only where no call has the buffers of the one before, or of the
 * seventh before, and each has those of the eighth. */
static void
calls_take_turns_on_eight_sets_of_buffers(void **state)
{
    struct judgement j;

    (void)state;
    compile(
        "submission", "static const float *had[8]; static int calls;",
        "int same = 0; for (int i = 0; i < 8; i++) same += had[i] == A; "
        "if (N == 200000) { if (same != (calls >= 8) || (same && had[calls % 8] != A)) "
        "return; had[calls++ % 8] = A; }" SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
}

/* A program that is right only where no call has an earlier one's inputs, or finds what
 * an earlier one found in its outputs. */
static void
inputs_and_poison_are_fresh_in_every_call(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.poisons = true};
    compile("submission", "static unsigned long in[1000], out[1000]; static int calls;",
            "const unsigned long *a = (void *)A, *c = (void *)C; "
            "if (N == 200000 && calls < 1000) { "
            "for (int i = 0; i < calls; i++) if (in[i] == *a || out[i] == *c) return; "
            "in[calls] = *a; out[calls++] = *c; }" SUM);
    judge(&j, 1);
    assert_string_equal(j.result.message, "");
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
}

/* An empty solve() that takes as long as a card's turns from context to context, and a
 * program that does without; also where its calls count whole. */
static void
sooner_than_an_empty_kernel_is_disqualified(void **state)
{
    (void)state;
    compile("null", TALKS, "spend(C, N, 20000);");
    compile("submission", "", SUM);
    for (int whole = 0; whole <= 1; whole++) {
        struct judgement j;

        play = (struct play){.bus_bytes = whole ? 20e6 : 0};
        judge(&j, 1);
        assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
        assert_non_null(strstr(j.result.message, "sooner than a solve()"));
        assert_true(j.result.may_retry);
        assert_int_equal(j.result.timing.median_ns > 0, whole);
        assert_int_equal(j.result.timing.high_ns > 0, whole);
        judgement_close(&j);
    }
    compile("null", "", "");
}

/* 12 bytes an element, at 10 bytes a us: 240 ms. */
static void
faster_than_the_hardware_is_disqualified(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){
        .has_rates = true, .copy_bytes_per_ns = 0.01, .after_bytes_per_ns = 0.01};
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_non_null(strstr(j.result.message, "at the very least"));
    assert_true(j.result.may_retry);
    assert_true(j.result.timing.roofline_ns > 230e6 &&
                j.result.timing.roofline_ns < 250e6);
    assert_string_equal(j.result.timing.roofline_by, "memory");
    assert_non_null(strstr(j.result.timing.conditions, "\"gpu\":\"GPU-played\""));
    judgement_close(&j);
}

/* The same limit, but the pins carry more: who is below it may be honest, and is looked
 * at. Who is a thousand times slower than the limit need not be. */
static void
near_the_limit_is_for_review(void **state)
{
    (void)state;
    compile("submission", TALKS, SUM "spend(C, N, 3000);");
    for (int far = 0; far <= 1; far++) {
        const double rate = far ? 1e3 : 0.01;
        struct judgement j;

        play = (struct play){.has_rates = true,
                             .copy_bytes_per_ns = rate,
                             .after_bytes_per_ns = rate,
                             .peak_bytes_per_ns = 1e6};
        forget_calibrations();
        judge(&j, 1);
        assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
        assert_int_equal(j.result.timing.review, !far);
        judgement_close(&j);
    }
}

static void
calibration_that_fails_fails_nothing(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.has_rates = true, .rates_fail = true};
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_null(j.result.timing.conditions);
    assert_float_equal(j.result.timing.roofline_ns, 0, 0);
    judgement_close(&j);
}

/* Known as a card of 1000 bytes a ns, which has 900 after the timed calls. */
static void
a_slower_card_is_judged_again_then_remarked(void **state)
{
    const struct calibration usual = {1000, 1, 1e9};
    struct calibration_history h = {0};
    struct judgement j;
    char *path = xasprintf("%s/calibration", folder);
    struct report r = {0};

    (void)state;
    for (int i = 0; i < CALIBRATION_TRUSTED; i++)
        calibration_add(&h, &usual);
    if (file_mkdirs(path, &r) != 0)
        fail_msg("%s", r.text);
    free(path);
    path = xasprintf("%s/calibration/GPU-played.json", folder);
    if (calibration_save(path, &h, &r) != 0)
        fail_msg("%s", r.text);
    compile("submission", "", SUM);
    for (int attempt = 1; attempt <= 2; attempt++) {
        play = (struct play){.has_rates = true,
                             .copy_bytes_per_ns = 1000,
                             .after_bytes_per_ns = 900,
                             .bus_bytes = 20e6};
        judge(&j, attempt);
        assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
        assert_int_equal(j.result.may_retry, attempt == 1);
        assert_non_null(strstr(j.result.timing.remark, "card's bus"));
        if (attempt == 2) /* both are said */
            assert_non_null(strstr(j.result.timing.remark, "10.0% below"));
        judgement_close(&j);
    }
    calibration_load(path, &h, &r);
    assert_int_equal(h.count, CALIBRATION_TRUSTED + 4);
    free(path);
}

/* One flush a timed call, and up to three where it is slow. */
static void
a_slow_flush_is_repeated_then_discarded_then_disqualifies(void **state)
{
    const int first = 5;
    struct judgement j;

    (void)state;
    compile("submission", "", SUM);
    play = (struct play){.slow_from = first, .slow_count = 2};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED); /* the third try was fast */
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 3};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED); /* one call discarded */
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 6};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_non_null(strstr(j.result.message, "something else ran on the GPU"));
    assert_true(j.result.may_retry);
    judgement_close(&j);
    play = (struct play){.slow_from = first, .slow_count = 6};
    judge(&j, 2);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_false(j.result.may_retry);
    judgement_close(&j);
}

/* Where our own thread had lost its CPU meanwhile the calls do not count, and are
 * evidence of nothing; nor does an empty call. (That neither side sleeps is played: where
 * they do wake-ups look the same.) */
static void
a_busy_host_is_nobodys_fault(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", "", SUM);
    play = (struct play){.slow_from = 5,
                         .slow_count = 100000,
                         .many_cpus = true,
                         .preempts = true,
                         .fails = "CPUs are too busy"};
    judge(&j, 1);
    assert_int_equal(j.outcome.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    play = (struct play){
        .many_cpus = true, .preempts_empty = true, .fails = "empty calls lost theirs"};
    judge(&j, 1);
    judgement_close(&j);
}

/* The conditions, which say of which kind the samples are, are there where the card has
 * rates. */
static const struct play copying = {.has_rates = true,
                                    .copy_bytes_per_ns = 1e9,
                                    .after_bytes_per_ns = 1e9,
                                    .behind = true};

static void
assert_copied(const struct judgement *j, const char *how)
{
    char *text = xasprintf("\"copied\":\"%s\"", how);

    assert_string_equal(j->result.message, "");
    assert_int_equal(j->result.verdict, VERDICT_ACCEPTED);
    assert_true(j->result.timing.sample_count >= SAMPLES_MIN);
    assert_non_null(strstr(j->result.timing.conditions, text));
    free(text);
}

/* All of a call's work is done before the copy that waits behind it: neither the empty
 * call nor this one waits for the host, so their difference is next to nothing. */
static void
outputs_are_copied_behind_the_work(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(play.holds >= play.queued && play.queued >= SAMPLES_MIN);
    assert_int_equal(play.released, play.holds);
    assert_true(j.result.timing.empty_ns > BEHIND_MS * 1e6);
    assert_true(j.result.timing.median_ns < BEHIND_MS * 1e6);
    judgement_close(&j);
}

/* An empty call whose launch the card waited for is too long. Where all are so the host
 * is slow, and the submission's launches are late, too. */
static void
a_late_launch_is_in_no_empty_call(void **state)
{
    static const struct {
        int late_every, late_min, late_max;
    } cases[] = {{0, 0, 0}, {4, 5, 49}, {1, 50, 50}};

    (void)state;
    compile("submission", "", SUM);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judgement j;

        play = copying;
        play.late_every = cases[i].late_every;
        judge(&j, 1);
        assert_copied(&j, "behind");
        assert_true(j.timing->empty.count >= 20);
        assert_in_range(j.timing->empty.late, cases[i].late_min, cases[i].late_max);
        judgement_close(&j);
    }
}

/* What the cache makes the copy shorter by is added; what somebody makes it longer by is
 * that one's loss. */
static void
a_copy_is_counted_as_an_empty_calls(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", "", SUM);
    play = copying;
    play.empty_copy_ns = 900e6;
    play.copy_ns = 100e6;
    judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(j.result.timing.median_ns > 700e6);
    judgement_close(&j);
    play = copying;
    play.empty_copy_ns = 100e6;
    play.copy_ns = 900e6;
    judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(j.result.timing.median_ns < 100e6);
    judgement_close(&j);
}

static bool
says(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

/* The work is on 2.4 MB, of which an eighth may go over the bus beside what an empty call
 * sends, and some kB for the launches of a call this long. Who sends more has nothing
 * subtracted, and what goes before the clock added. */
static void
calls_over_the_bus_count_whole(void **state)
{
    const struct {
        double bytes;
        bool whole;
        const char *said;
    } calls[] = {{-1, false, "\"bus_bytes\":[null,"},
                 {EMPTY_BUS, false, "\"bus_bytes\":[0,"},
                 {EMPTY_BUS + 300e3, false, "\"bus_bytes\":[300000,"},
                 {EMPTY_BUS + 20e6, true, "\"bus_bytes\":[20000000,"}};

    (void)state;
    compile("submission", "", SUM);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const bool whole = calls[i].whole;
        struct judgement j;
        const struct timing *t = &j.result.timing;

        play = copying;
        play.flush_ms = 6;
        play.bus_bytes = calls[i].bytes;
        judge(&j, 1);
        assert_copied(&j, "behind");
        assert_true(says(t->conditions, "\"bus_free\":300000,"));
        assert_true(says(t->conditions, calls[i].said));
        assert_int_equal(t->median_ns > (BEHIND_MS + (double)play.flush_ms) * 1e6, whole);
        assert_int_equal(t->median_ns > BEHIND_MS * 1e6, whole);
        assert_int_equal(
            says(t->remark, "more than 300 kB, and 250 bytes a us, over the card's bus"),
            whole);
        assert_false(whole && t->review);
        judgement_close(&j);
    }
}

/* One call in eight, whose reason may be anything. */
static void
few_calls_over_the_bus_move_no_median(void **state)
{
    struct judgement j;
    const struct timing *t = &j.result.timing;
    int whole = 0;

    (void)state;
    compile("submission", "", SUM);
    play = copying;
    play.bus_bytes = 20e6;
    play.bus_every = 8;
    judge(&j, 1);
    assert_copied(&j, "behind");
    for (int i = 0; i < t->sample_count; i++)
        whole += t->sample_ns[i] > BEHIND_MS * 1e6;
    assert_true(abs(8 * whole - t->sample_count) < 24); /* a call may not count */
    assert_true(t->median_ns < BEHIND_MS * 1e6);
    assert_null(t->remark);
    judgement_close(&j);
}

/* Put over the first bytes of the C library's recvmsg, which the runner calls: as soon as
 * it is to arm a call it sends a GiB, before it says that it has. */
#define SENDS                                                                            \
    TALKS                                                                                \
    "#include <string.h>\n"                                                              \
    "#include <sys/mman.h>\n"                                                            \
    "#include <sys/socket.h>\n"                                                          \
    "#include <sys/syscall.h>\n"                                                         \
    "#include <unistd.h>\n"                                                              \
    "static float *last; static int sent;\n"                                             \
    "static long wait(int fd, struct msghdr *m, int flags) {\n"                          \
    "  long n = syscall(SYS_recvmsg, fd, m, flags);\n"                                   \
    "  if (n > 0 && last && *(unsigned *)m->msg_iov->iov_base == 2)\n"                   \
    "    take(last, 200000, ++sent, 0);\n"                                               \
    "  return n; }\n"                                                                    \
    "__attribute__((constructor)) static void patch(void) {\n"                           \
    "  unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};\n"     \
    "  void *to = (void *)wait, *from = (void *)recvmsg;\n"                              \
    "  memcpy(jump + 2, &to, 8);\n"                                                      \
    "  if (mprotect((void *)((unsigned long)from & -4096ul), 8192, 7) == 0)\n"           \
    "    memcpy(from, jump, 12); }\n"

/* A card's counters come round: who could send 4 GB unseen would seem to have sent none.
 */
static void
what_is_sent_before_there_are_inputs_does_not_count(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", SENDS, SUM "if (N == 200000) last = C;");
    play = copying;
    play.sends = true;
    judge(&j, 1);
    assert_true(play.taken_gib >= SAMPLES_MIN);
    assert_true(says(j.result.timing.conditions, "\"bus_bytes\":[0,"));
    assert_null(j.result.timing.remark);
    judgement_close(&j);
}

static void
a_meter_that_stops_is_our_failure(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", "", SUM);
    play = (struct play){.bus_stops = 9, .fails = "no longer does"};
    judge(&j, 1);
    judgement_close(&j);
}

/* The empty call that is subtracted is of the first kind all the same: nobody gains by
 * choosing the second. */
static void
what_is_not_done_by_then_is_copied_after_it(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    play.late = LATE;
    compile("submission", TALKS, "be_late(C, N); spend(C, N, 40000); " SUM);
    judge(&j, 1);
    assert_copied(&j, "after");
    assert_true(j.result.timing.empty_ns > BEHIND_MS * 1e6);
    assert_true(j.result.timing.median_ns > 3 * BEHIND_MS * 1e6);
    judgement_close(&j);
}

/* A card that does not let copies wait would have an empty call of next to nothing. Here
 * the empty solve() ends a little after its copy, or after 10 ms where there is none. */
static void
an_empty_call_that_its_copy_did_not_wait_for_is_none(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    play.early = true;
    compile("null", TALKS,
            "volatile float *c = C; for (int i = 0; i < 100 && *c != 12345; i++) "
            "usleep(100); if (*c != 12345) spend(C, N, 10000); usleep(5000);");
    compile("submission", TALKS, "spend(C, N, 60000); " SUM);
    judge(&j, 1);
    compile("null", "", "");
    assert_copied(&j, "after");
    assert_true(j.result.timing.empty_ns > 10e6);
    judgement_close(&j);
}

/* Quick until the warm-up is over, then slow. */
static void
calls_that_are_not_alike_are_all_copied_after_done(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    play.late = LATE_SAMPLES;
    compile("submission", TALKS,
            "be_late(C, N); spend(C, N, mail(C, N)[4] ? 20000 : 1000); " SUM);
    judge(&j, 1);
    assert_copied(&j, "after");
    assert_true(play.queued > play.queued_samples && play.queued_samples > 2);
    assert_true(j.result.timing.median_ns > 10e6);
    judgement_close(&j);
}

/* A few may be missed, and count as they are copied then. */
static void
a_call_that_its_copy_missed_counts_to_the_next(void **state)
{
    struct judgement j;
    const struct timing *t = &j.result.timing;
    int longer = 0;

    (void)state;
    play = copying;
    play.late = LATE_SAMPLE;
    compile("submission", TALKS,
            "be_late(C, N); spend(C, N, mail(C, N)[4] ? 20000 : 1000); " SUM);
    judge(&j, 1);
    assert_copied(&j, "behind");
    for (int i = 0; i < t->sample_count; i++)
        longer += t->sample_ns[i] > 20e6;
    assert_int_equal(longer, 1);
    assert_true(t->sample_ns[3] > 20e6);
    judgement_close(&j);
}

/* Nobody is wrong for a copy that the end of a time slice has cut in two. */
static void
a_torn_copy_is_not_a_wrong_answer(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    play.torn = 5;
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_copied(&j, "behind");
    assert_true(play.queued_samples > play.torn);
    judgement_close(&j);
}

static void
a_wrong_answer_is_wrong_however_it_is_copied(void **state)
{
    struct judgement j;

    (void)state;
    play = copying;
    compile("submission", "", SUM "if (N == 200000) C[N / 2] += 1;");
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    judgement_close(&j);
}

/* The program has a function of its own in the place of the C library's recvmsg, which
 * the runner calls. It adds as soon as a call is armed whose buffers it knows from an
 * earlier one; what is added then must not be this call's inputs, nor stay in its
 * outputs. */
static const char eager[] =
    "#include <stdint.h>\n#include <string.h>\n#include <sys/mman.h>\n"
    "#include <sys/socket.h>\n#include <sys/syscall.h>\n"
    "long syscall(long, ...);\n"
    "struct request { uint32_t op, memory; uint64_t bytes, address;\n"
    "  uint32_t device, awake_ms, cpu, args;\n"
    "  struct { int32_t slot; uint32_t pad; uint64_t value; } arg[4]; };\n"
    "static float *at[256]; static int slot[3], added;\n"
    "static ssize_t armed(int fd, struct msghdr *m, int flags) {\n"
    "  long n = syscall(SYS_recvmsg, fd, m, flags);\n"
    "  struct request *q = m->msg_iov->iov_base;\n"
    "  if (n <= 0 || q->op != 2) return n;\n"
    "  for (int i = 0; i < 3; i++) slot[i] = q->arg[i].slot;\n"
    "  added = q->arg[3].value == 200000 && at[slot[0]] != 0;\n"
    "  for (int i = 0; i < 200000 && added; i++)\n"
    "    at[slot[2]][i] = at[slot[0]][i] + at[slot[1]][i];\n"
    "  return n; }\n"
    "__attribute__((constructor)) static void detour(void) {\n"
    "  unsigned char jump[12] = {0x48, 0xb8, [10] = 0xff, 0xe0};\n"
    "  void *to = armed; char *from = (char *)recvmsg;\n"
    "  memcpy(jump + 2, &to, sizeof to);\n"
    "  if (mprotect((char *)((uintptr_t)from & -4096), 8192, 7) == 0)\n"
    "    memcpy(from, jump, sizeof jump); }\n";

static void
work_before_the_release_is_for_nothing(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", eager,
            "if (N == 200000) { at[slot[0]] = (float *)A; at[slot[1]] = (float *)B; "
            "at[slot[2]] = C; } if (!added) " SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    /* With the buffers of the warm-up's first calls once more. */
    assert_non_null(strstr(j.result.message, "warm-up 9 "));
    judgement_close(&j);
}

/* It is inside without a pause, wherever it may be: in the warm-up. After that each call
 * has a flush. */
static void
what_a_neighbour_does_counts_nowhere(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.step_ms = 10};
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(j.result.timing.sample_count >= SAMPLES_MIN);
    assert_true(play.disturbed > 0 && neighbour->steps > 3);
    assert_true(play.flushes - 1 - play.last_disturbed >= j.result.timing.sample_count);
    assert_true(j.timing->empty.uncounted_ns > 0);
    judgement_close(&j);
    play = (struct play){0};
    judge(&j, 1);
    assert_int_equal(j.timing->empty.uncounted_ns, 0); /* alone */
    judgement_close(&j);
}

/* But not for ever. */
static void
the_time_limit_stands_still_while_a_neighbour_works(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", "int usleep(unsigned);",
            "if (N != 200000) usleep(450000);" SUM);
    play = (struct play){.time_limit_ms = 300};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
    play = (struct play){.time_limit_ms = 300, .step_ms = 200};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    judgement_close(&j);
    compile("submission", "", "for (;;);");
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
}

/* Whose step may be so long because the call keeps it. */
static void
a_neighbours_long_step_extends_no_limit_beyond_twice(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", "int usleep(unsigned);",
            "if (N != 200000) usleep(2500000);" SUM);
    play = (struct play){.time_limit_ms = 300, .step_ms = 3000};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_TIME_LIMIT);
    judgement_close(&j);
}

/* So that what that one still has is not missing. */
static void
a_program_is_loaded_when_who_judged_before_is_gone(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.leave_ms = 1500, .tells = true};
    compile("submission", "", SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_int_equal(play.beside, 0);
    judgement_close(&j);
}

/* Judges a program that says what it takes, in both attempts. */
static void
expect_over_as(const struct play *as, const char *body, const char *says)
{
    compile("submission", TALKS, body);
    for (int attempt = 1; attempt <= 2; attempt++) {
        struct judgement j;

        play = *as;
        judge(&j, attempt);
        assert_int_equal(j.result.verdict, VERDICT_MEMORY_LIMIT);
        assert_int_equal(j.result.may_retry, attempt == 1);
        if (strstr(j.result.message, says) == NULL)
            fail_msg("\"%s\" does not say \"%s\"", j.result.message, says);
        judgement_close(&j);
    }
}

static void
expect_over(const char *body, const char *says)
{
    const struct play as = {.tells = true};

    expect_over_as(&as, body, says);
}

static void
memory_up_to_the_limit_is_everybodys(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    compile("submission", TALKS, "take_a_while(C, N, 16); " SUM);
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_false(j.result.may_retry);
    assert_null(j.result.timing.remark);
    judgement_close(&j);
}

static void
memory_over_the_limit_in_a_test(void **state)
{
    (void)state;
    expect_over("if (N != 200000) { take_a_while(C, N, 18); }" SUM,
                "test 1 (N=4): the program had at least 18 GiB of device memory, buffers "
                "included; the problem allows 16 GiB");
}

static void
memory_over_the_limit_in_the_first_timed_call(void **state)
{
    (void)state;
    expect_over("if (N == 200000 && calls++ == 0) { take_a_while(C, N, 18); }" SUM,
                "warm-up 1 (N=200000): the program had at least 18 GiB");
}

/* And too late in its call to be seen while it runs; later calls are looked at once. */
static void
memory_that_is_kept_when_a_call_has_ended(void **state)
{
    (void)state;
    expect_over(SUM "if (N == 200000 && calls++ == 1) take(C, N, 20, 0);",
                "warm-up 2 (N=200000): the program had at least 20 GiB");
}

/* It is there still when the program is dead. */
static void
memory_that_somebody_else_takes(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    compile("submission", TALKS, "take(C, N, 40, 1); " SUM);
    judge(&j, 1);
    assert_int_equal(play.others_gib, 40);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_false(j.result.may_retry);
    /* 256 MiB may be the reference's. */
    assert_true(says(j.result.timing.remark, "40704 MiB of the device's memory were not "
                                             "free again 2 s after the program"));
    judgement_close(&j);
}

/* Of a time that is accepted, and where there is nothing else to say. */
static void
memory_that_is_missing_displaces_no_other_remark(void **state)
{
    struct judgement j;

    (void)state;
    compile("submission", TALKS, "take(C, N, 40, 1); " SUM);
    play = (struct play){.tells = true, .bus_bytes = 20e6};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_ACCEPTED);
    assert_true(says(j.result.timing.remark, "card's bus"));
    assert_false(says(j.result.timing.remark, "not free again"));
    judgement_close(&j);
    compile("submission", TALKS, "take(C, N, 40, 1); " SUM);
    compile("null", TALKS, "spend(C, N, 20000);");
    play = (struct play){.tells = true};
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_DISQUALIFIED);
    assert_true(j.result.timing.present);
    assert_null(j.result.timing.remark);
    judgement_close(&j);
    compile("null", "", "");
}

/* And gives back in time: not told from the program's, but not there again. */
static void
memory_that_somebody_else_takes_for_a_while(void **state)
{
    static const char *const body[] = {"take_a_while(C, N, 40); " SUM, SUM};

    (void)state;
    for (int attempt = 1; attempt <= 2; attempt++) {
        struct judgement j;

        play = (struct play){.tells = true};
        compile("submission", TALKS, body[attempt - 1]);
        judge(&j, attempt);
        assert_int_equal(j.result.verdict,
                         attempt == 1 ? VERDICT_MEMORY_LIMIT : VERDICT_ACCEPTED);
        assert_int_equal(j.result.may_retry, attempt == 1);
        judgement_close(&j);
    }
}

/* Whoever of ours is short of memory, if the program had too much that is the reason. */
static void
a_driver_is_short_of_what_the_program_had(void **state)
{
    const struct play as = {.tells = true, .short_at = 4};

    (void)state;
    expect_over_as(&as, "if (N != 200000) { take_a_while(C, N, 18); }" SUM,
                   "test 1 (N=4): the program had at least 18 GiB");
    expect_over_as(&as, SUM "if (N == 200000 && calls++ == 1) take(C, N, 20, 0);",
                   "warm-up 2 (N=200000): the program had at least 20 GiB");
}

/* And if it had not, or if that was somebody else, we have failed. */
static void
a_driver_that_is_short_of_memory_is_our_failure(void **state)
{
    static const char *const body[] = {SUM, "take_a_while(C, N, 16); " SUM,
                                       "take(C, N, 40, 1); " SUM};

    (void)state;
    for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
        struct judgement j;

        play = (struct play){
            .tells = true, .short_at = 4, .fails = "the driver is out of memory"};
        compile("submission", TALKS, body[i]);
        judge(&j, 2);
        assert_int_equal(play.flushes, 4);
        judgement_close(&j);
    }
}

/* What a reference in C does when it is starved, after it was well for 4 timed calls. */
static void
starve_reference(const char *what)
{
    char *body = xasprintf("ends = 0; %s" SUM, what);

    compile("reference", STARVES, body);
    free(body);
}

static const struct play starving = {.tells = true, .starved_at = 4};

/* Nobody saw what the program took between two calls, but the reference says that it
 * lacked it, in either way, and has it when the program is gone. */
static void
a_reference_is_short_of_what_the_program_had(void **state)
{
    static const char *const ways[] = {
        "if (is_starved(C, N)) ends = 2;",
        "if (is_starved(C, N)) { puts(\"cudaErrorMemoryAllocation: out of memory\"); "
        "fflush(0); _exit(1); }"};

    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        starve_reference(ways[i]);
        expect_over_as(&starving, SUM, "cannot compute the next one's answer");
        assert_int_equal(play.flushes, 4);
    }
    compile("reference", "", SUM);
}

/* But not where it is short without the program, too, nor where it does not say what it
 * lacked: another error is its own, however rarely it makes one. */
static void
a_reference_that_fails_is_our_failure(void **state)
{
    static const struct {
        const char *what, *fails;
    } ways[] = {
        {"if (is_starved(C, N) || (calls++ == 0 && N == 200000)) ends = 2;",
         "failed with error 2 "},
        {"if (is_starved(C, N)) ends = 700;", "failed with error 700 "},
        {"if (is_starved(C, N)) { puts(\"no luck today\"); fflush(0); _exit(1); }",
         "was ended by exit status 1 (N=200000): no luck today"}};

    (void)state;
    compile("submission", "", SUM);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        starve_reference(ways[i].what);
        for (int attempt = 1; attempt <= 2; attempt++) {
            struct judgement j;

            play = starving;
            play.fails = ways[i].fails;
            judge(&j, attempt);
            assert_int_equal(play.flushes, 4);
            judgement_close(&j);
        }
    }
    compile("reference", "", SUM);
}

/* A reference whose errors say nothing of memory, as of a kernel that was given none: as
 * it fails the card is looked at once more. Where its process has ended there may be
 * memory of its own on its way back. */
static void
who_has_the_memory_is_looked_for_when_a_reference_fails(void **state)
{
    struct play as = starving;
    struct judgement j;

    (void)state;
    as.between_gib = 20;
    starve_reference("if (is_starved(C, N)) ends = 700;");
    expect_over_as(&as, SUM, "between two calls: the program had at least 20 GiB");
    starve_reference("if (is_starved(C, N)) _exit(1);");
    play = as;
    play.fails = "was ended by exit status 1";
    judge(&j, 2);
    assert_int_equal(play.looks_since_starved, 1);
    judgement_close(&j);
    compile("reference", "", SUM);
}

static void
a_wrong_answer_is_wrong_whatever_memory_it_has(void **state)
{
    struct judgement j;

    (void)state;
    play = (struct play){.tells = true};
    compile("submission", TALKS, "take_a_while(C, N, 40); " SUM "C[0]++;");
    judge(&j, 1);
    assert_int_equal(j.result.verdict, VERDICT_WRONG_ANSWER);
    assert_false(j.result.may_retry);
    judgement_close(&j);
}

static void
a_card_has_room_for_two_small_ones(void **state)
{
    const uint64_t buffers = 3 * ELEMENTS * sizeof(float);
    struct judgement j;

    (void)state;
    compile("submission", "", SUM);
    judge(&j, 1);
    j.device->info.memory_bytes = 8 * 3 * buffers;
    assert_true(room_beside(j.problem, j.device));
    j.device->info.memory_bytes--;
    assert_false(room_beside(j.problem, j.device));
    j.device->info.memory_bytes = 8 * 3 * buffers;
    j.problem->test_count = 2; /* of which each would fit */
    j.problem->test[0] = j.problem->test[1] = j.problem->benchmark_cuda;
    assert_false(room_beside(j.problem, j.device));
    judgement_close(&j);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup(name, forget)
    const struct CMUnitTest tests[] = {
        T(a_time_has_an_interval_and_enough_samples),
        T(nothing_is_loaded_while_the_empty_calls_are_timed),
        T(a_slow_warm_up_costs_no_samples),
        T(calls_take_turns_on_eight_sets_of_buffers),
        T(inputs_and_poison_are_fresh_in_every_call),
        T(sooner_than_an_empty_kernel_is_disqualified),
        T(faster_than_the_hardware_is_disqualified),
        T(near_the_limit_is_for_review),
        T(calibration_that_fails_fails_nothing),
        T(a_slower_card_is_judged_again_then_remarked),
        T(a_slow_flush_is_repeated_then_discarded_then_disqualifies),
        T(a_busy_host_is_nobodys_fault),
        T(outputs_are_copied_behind_the_work),
        T(a_late_launch_is_in_no_empty_call),
        T(a_copy_is_counted_as_an_empty_calls),
        T(calls_over_the_bus_count_whole),
        T(few_calls_over_the_bus_move_no_median),
        T(what_is_sent_before_there_are_inputs_does_not_count),
        T(a_meter_that_stops_is_our_failure),
        T(what_is_not_done_by_then_is_copied_after_it),
        T(an_empty_call_that_its_copy_did_not_wait_for_is_none),
        T(calls_that_are_not_alike_are_all_copied_after_done),
        T(a_call_that_its_copy_missed_counts_to_the_next),
        T(a_torn_copy_is_not_a_wrong_answer),
        T(a_wrong_answer_is_wrong_however_it_is_copied),
        T(work_before_the_release_is_for_nothing),
        T(what_a_neighbour_does_counts_nowhere),
        T(the_time_limit_stands_still_while_a_neighbour_works),
        T(a_neighbours_long_step_extends_no_limit_beyond_twice),
        T(a_program_is_loaded_when_who_judged_before_is_gone),
        T(memory_up_to_the_limit_is_everybodys),
        T(memory_over_the_limit_in_a_test),
        T(memory_over_the_limit_in_the_first_timed_call),
        T(memory_that_is_kept_when_a_call_has_ended),
        T(memory_that_somebody_else_takes),
        T(memory_that_is_missing_displaces_no_other_remark),
        T(memory_that_somebody_else_takes_for_a_while),
        T(a_driver_is_short_of_what_the_program_had),
        T(a_driver_that_is_short_of_memory_is_our_failure),
        T(a_reference_is_short_of_what_the_program_had),
        T(a_reference_that_fails_is_our_failure),
        T(who_has_the_memory_is_looked_for_when_a_reference_fails),
        T(a_wrong_answer_is_wrong_whatever_memory_it_has),
        T(a_card_has_room_for_two_small_ones),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
