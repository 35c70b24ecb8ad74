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
#include "cli/watch.h"

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

struct watch {
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
    struct watch *w = ctx;

    w->lost_ns = 0;
    if (strcmp(name, "done") != 0) {
        progress_event(&w->progress, name, event);
        return;
    }
    cJSON_Delete(w->submission);
    w->submission = cJSON_DetachItemFromObjectCaseSensitive(event, "submission");
}

static int
watch_on_bytes(void *ctx, const char *bytes, size_t len, struct report *r)
{
    struct watch *w = ctx;

    return stream_feed(&w->stream, bytes, len, on_event, w, r);
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
pause_for(const struct watch *w, int ms)
{
    struct pollfd p = {.fd = w->signal_fd, .events = POLLIN};

    return poll(&p, 1, ms) > 0;
}

static int
watch_was_stopped(struct watch *w, long id)
{
    struct signalfd_siginfo info = {.ssi_signo = SIGINT};

    if (read(w->signal_fd, &info, sizeof info) != sizeof info)
        info.ssi_signo = SIGINT;
    report_fail(&w->cli->report,
                "you stopped waiting; submission %ld goes on, and `warpjudge status %ld` "
                "shows what becomes of it",
                id, id);
    return EXIT_BY_SIGNAL + (int)info.ssi_signo;
}

static int
watch_follow(struct watch *w, const char *path, long id)
{
    struct report *r = &w->cli->report;

    for (int i = 0; i < STREAMS_MAX; i++) {
        struct report why = {0};
        enum client_result result;

        buf_clear(&w->stream.line);
        result = client_stream(w->cli->client, path, watch_on_bytes, w, &why);
        if (w->submission != NULL)
            return 0;
        if (result == CLIENT_INTERRUPTED)
            return watch_was_stopped(w, id);
        if (result == CLIENT_REFUSED || result == CLIENT_FAILED) {
            *r = why;
            return client_exit_status(result);
        }
        if (w->lost_ns == 0)
            w->lost_ns = now_ns();
        if (now_ns() - w->lost_ns > LOST_MS * UINT64_C(1000000)) {
            report_fail(
                r,
                "%s; submission %ld is safe: `warpjudge status %ld` shows it once "
                "the judge is back",
                report_is_set(&why) ? why.text : "the judge went away", id, id);
            return EXIT_UNREACHABLE;
        }
        progress_waiting(&w->progress);
        if (pause_for(w, RETRY_MS))
            return watch_was_stopped(w, id);
    }
    report_fail(
        r,
        "the judge went away %d times while submission %ld was judged; it is safe: "
        "`warpjudge status %ld` shows it (the judge's log may say why: %s/"
        "warpjudge.log)",
        STREAMS_MAX, id, id, w->cli->config.home);
    return EXIT_UNREACHABLE;
}

int
watch_submission(struct cli *cli, long id, cJSON **out)
{
    struct watch w = {.cli = cli};
    char path[64];
    sigset_t set, old;
    int rc;

    stopping_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &old);
    w.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (w.signal_fd < 0) {
        report_errno(&cli->report, "signals cannot be waited for");
        sigprocmask(SIG_SETMASK, &old, NULL);
        return EXIT_JUDGE_FAILED;
    }
    snprintf(path, sizeof path, "/api/submissions/%ld/events", id);
    progress_begin(&w.progress, &cli->err, cli->args.flag[FLAG_JSON] != NULL, id);
    client_interrupt_on(cli->client, w.signal_fd);
    rc = watch_follow(&w, path, id);
    client_interrupt_on(cli->client, -1);
    progress_end(&w.progress);
    stream_free(&w.stream);
    close(w.signal_fd);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        *out = w.submission;
    return rc;
}
