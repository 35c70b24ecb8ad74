/*
 * The event stream is read until its "done". If it breaks off before that, or if the
 * judge cannot be reached, the wait goes on with a new stream, which begins with the last
 * event. At the default address a new connection also starts a new daemon (client.c),
 * which takes the submission up again. The wait is given up when the judge has been lost
 * for LOST_MS.
 *
 * SIGINT and similar signals arrive through a signalfd, which the client polls beside its
 * socket. No handler runs, so that nothing is left half done.
 */
#include "cli/follow.h"

#include "base/file.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/progress.h"
#include "cli/stream.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define LOST_MS 20000
#define RETRY_MS 250
#define STREAMS_MAX 50 /* one submission might crash the judge again and again */

struct follow {
    struct cli *cli;
    struct progress progress;
    struct stream stream;
    cJSON *submission; /* of the event "done" */
    uint64_t lost_ns;  /* when the last stream broke off; 0: a stream brings events */
    int signal_fd;
};

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

/* The signals by which a user stops the wait. One that is ignored stays ignored, for
 * nohup. */
static void
stopping_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;

        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, signals[i]);
    }
}

/* Waits for some time. Did a signal end the wait? */
static bool
pause_for(const struct follow *f, int ms)
{
    struct pollfd p = {.fd = f->signal_fd, .events = POLLIN};

    return poll(&p, 1, ms) > 0;
}

static int
follow_was_stopped(struct follow *f, long id)
{
    struct signalfd_siginfo info = {.ssi_signo = SIGINT};

    if (read(f->signal_fd, &info, sizeof info) != sizeof info)
        info.ssi_signo = SIGINT;
    report_fail(&f->cli->report,
                "you stopped waiting; submission %ld goes on, and `warpjudge status %ld` "
                "shows what becomes of it",
                id, id);
    return EXIT_BY_SIGNAL + (int)info.ssi_signo;
}

static int
follow_streams(struct follow *f, const char *path, long id)
{
    struct report *r = &f->cli->report;

    for (int i = 0; i < STREAMS_MAX; i++) {
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
        if (f->lost_ns == 0)
            f->lost_ns = now_ns();
        if (now_ns() - f->lost_ns > LOST_MS * UINT64_C(1000000)) {
            report_fail(
                r,
                "%s; submission %ld is safe: `warpjudge status %ld` shows it once "
                "the judge is back",
                report_is_set(&why) ? why.text : "the judge went away", id, id);
            return EXIT_UNREACHABLE;
        }
        progress_waiting(&f->progress);
        if (pause_for(f, RETRY_MS))
            return follow_was_stopped(f, id);
    }
    report_fail(
        r,
        "the judge went away %d times while submission %ld was judged; it is safe: "
        "`warpjudge status %ld` shows it (the judge's log may say why: %s/"
        "warpjudge.log)",
        STREAMS_MAX, id, id, f->cli->config.home);
    return EXIT_UNREACHABLE;
}

int
follow_submission(struct cli *cli, long id, cJSON **out)
{
    struct follow f = {.cli = cli};
    char path[64];
    sigset_t set, old;
    int rc;

    stopping_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    f.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (f.signal_fd < 0) {
        report_errno(&cli->report, "signals cannot be waited for");
        sigprocmask(SIG_SETMASK, &old, NULL);
        return EXIT_JUDGE_FAILED;
    }
    snprintf(path, sizeof path, "/api/submissions/%ld/events", id);
    progress_begin(&f.progress, &cli->err, cli->args.flag[FLAG_JSON] != NULL, id);
    client_interrupt_on(cli->client, f.signal_fd);
    rc = follow_streams(&f, path, id);
    client_interrupt_on(cli->client, -1);
    progress_end(&f.progress);
    stream_free(&f.stream);
    close(f.signal_fd);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        *out = f.submission;
    return rc;
}
