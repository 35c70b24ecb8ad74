/*
 * The event stream is read until its "done". If it breaks off before that, or if the
 * judge cannot be reached, the wait goes on with a new stream, which begins with the last
 * event. At the default address a new connection also starts a new daemon (client.c),
 * which takes the submission up again. The wait is given up when the judge has been lost
 * for LOST_MS.
 *
 * The handler of SIGINT and similar signals notes the signal and writes a byte to a pipe,
 * which the client polls beside its socket. So nothing is left half done. The handlers
 * that were there before come back with the end of the wait.
 */
#include "cli/follow.h"

#include "base/file.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/progress.h"
#include "cli/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define LOST_MS 20000
#define RETRY_MS 250
#define LOSSES_MAX 50 /* one submission might crash the judge again and again */

struct follow {
    struct cli *cli;
    struct progress progress;
    struct stream stream;
    cJSON *submission; /* of the event "done" */
    uint64_t lost_ns;  /* when the last stream broke off; 0: a stream brings events */
};

/* The signals by which a user stops the wait. */
static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};

enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static volatile sig_atomic_t follow_signal; /* 0: none has come */
static int follow_pipe[2] = {-1, -1};

static void
on_event(void *ctx, const char *name, cJSON *event)
{
    struct follow *f = ctx;

    f->lost_ns = 0;
    if (strcmp(name, "done") != 0) {
        progress_event(&f->progress, name, event);
        return;
    }
    cJSON_Delete(f->submission);
    f->submission = cJSON_DetachItemFromObjectCaseSensitive(event, "submission");
}

static int
follow_on_bytes(void *ctx, const char *bytes, size_t len, struct report *r)
{
    struct follow *f = ctx;

    return stream_feed(&f->stream, bytes, len, on_event, f, r);
}

static void
follow_on_signal(int number)
{
    const int saved = errno;

    follow_signal = number;
    /* A pipe that is full wakes the poll as well. */
    (void)!write(follow_pipe[1], "", 1);
    errno = saved;
}

/* A pipe of which no end waits, and which no other program gets. */
static int
follow_open_pipe(struct report *r)
{
    if (pipe(follow_pipe) != 0)
        return report_errno(r, "signals cannot be waited for");
    for (int i = 0; i < 2; i++) {
        (void)fcntl(follow_pipe[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(follow_pipe[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

/* A signal that is ignored stays ignored, for nohup. */
static void
follow_take_signals(struct sigaction before[SIGNAL_COUNT])
{
    struct sigaction then = {.sa_handler = follow_on_signal, .sa_flags = SA_RESTART};

    follow_signal = 0;
    sigemptyset(&then.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        (void)sigaction(SIGNALS[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            (void)sigaction(SIGNALS[i], &then, NULL);
    }
}

/* Closes the pipe, too. `stopped`: the wait has ended by the signal. Else one that came
 * late is the caller's. */
static void
follow_give_signals_back(const struct sigaction before[SIGNAL_COUNT], bool stopped)
{
    for (int i = 0; i < SIGNAL_COUNT; i++)
        (void)sigaction(SIGNALS[i], &before[i], NULL);
    for (int i = 0; i < 2; i++) {
        close(follow_pipe[i]);
        follow_pipe[i] = -1;
    }
    if (follow_signal != 0 && !stopped)
        (void)raise((int)follow_signal);
}

/* Waits for some time. Did a signal end the wait? */
static bool
pause_for(int ms)
{
    struct pollfd p = {.fd = follow_pipe[0], .events = POLLIN};

    (void)poll(&p, 1, ms);
    return follow_signal != 0;
}

static int
follow_was_stopped(struct follow *f, long id)
{
    report_fail(&f->cli->report,
                "you stopped waiting; submission %ld goes on, and `warpjudge status %ld` "
                "shows what becomes of it",
                id, id);
    return EXIT_BY_SIGNAL + (int)follow_signal;
}

static int
follow_streams(struct follow *f, const char *path, long id)
{
    struct report *r = &f->cli->report;
    const bool here = client_url(f->cli->client) == NULL; /* it is this machine's */
    int losses = 0;                                       /* of one that had answered */

    while (losses < LOSSES_MAX) {
        struct report why = {0};
        enum client_result result;

        buf_clear(&f->stream.line);
        result = client_stream(f->cli->client, path, follow_on_bytes, f, &why);
        if (f->submission != NULL)
            return 0;
        if (result == CLIENT_INTERRUPTED)
            return follow_was_stopped(f, id);
        if (result == CLIENT_REFUSED || result == CLIENT_FAILED) {
            *r = why;
            return client_exit_status(result);
        }
        if (f->lost_ns == 0) {
            f->lost_ns = now_ns();
            losses++;
        }
        if (now_ns() - f->lost_ns > LOST_MS * UINT64_C(1000000)) {
            report_fail(
                r,
                "%s; submission %ld is safe: `warpjudge status %ld` shows it once "
                "the judge is back",
                report_is_set(&why) ? why.text : "the judge went away", id, id);
            return EXIT_UNREACHABLE;
        }
        progress_waiting(&f->progress);
        if (pause_for(RETRY_MS))
            return follow_was_stopped(f, id);
    }
    report_fail(
        r,
        "the judge went away %d times while submission %ld was judged; it is "
        "safe: `warpjudge status %ld` shows it (the judge's log may say why%s%s%s)",
        LOSSES_MAX, id, id, here ? ": " : "", here ? f->cli->config.home : "",
        here ? "/warpjudge.log" : "");
    return EXIT_UNREACHABLE;
}

int
follow_submission(struct cli *cli, long id, cJSON **out)
{
    struct follow f = {.cli = cli};
    char path[64];
    struct sigaction before[SIGNAL_COUNT];
    int rc;

    if (follow_open_pipe(&cli->report) != 0)
        return EXIT_JUDGE_FAILED;
    follow_take_signals(before);
    snprintf(path, sizeof path, "/api/submissions/%ld/events", id);
    progress_begin(&f.progress, &cli->err, cli->args.flag[FLAG_JSON] != NULL, id);
    client_interrupt_on(cli->client, follow_pipe[0]);
    rc = follow_streams(&f, path, id);
    client_interrupt_on(cli->client, -1);
    progress_end(&f.progress);
    stream_free(&f.stream);
    follow_give_signals_back(before, rc > EXIT_BY_SIGNAL);
    if (rc == 0)
        *out = f.submission;
    return rc;
}
