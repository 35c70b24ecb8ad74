/*
 * `watch`: `run` at each save of a file.
 *
 * The file is looked at every POLL_MS. A save shows as another time, size or inode, and
 * in the same second as another hash. The text decides whether it is another one. What an
 * editor is still writing is waited for: the file must look the same twice, and be
 * neither empty nor away. An editor that replaces the file by another one, and one that
 * removes it for a moment, are both seen so. Nothing here asks the system to tell of
 * changes, which each system does in its own way.
 *
 * A signal sets a flag while the file is looked at. While a submission is waited for,
 * follow.c takes the signal.
 */
#include "base/file.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/follow.h"
#include "cli/format.h"
#include "cli/own_case.h"
#include "cli/result.h"
#include "cli/source.h"
#include "cli/submit.h"
#include "cli/watch_change.h"
#include "record/verdict.h"

#include <cjson/cJSON.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define POLL_MS 150
#define AWAY_POLLS 14  /* a file that is away for so long is told of */
#define NEW_S 2        /* a time is new for so long */
#define RETRY_POLLS 14 /* between two tries to reach a judge that is not there */

/* How the file looked: enough to notice a save. */
struct watch_look {
    bool there;
    long long size, inode, seconds;
    uint64_t hash; /* of the text while the time is new; else 0 */
};

struct watch {
    struct cli *cli;
    const char *path;
    struct watch_look look;
    bool settled; /* it looked the same the time before, and its text is known */
    int away;     /* for how many looks it has been away */
    char *text;   /* that was run last; NULL: none */
    bool again;   /* the judge was not reached: the same text is tried again */
    cJSON *last;  /* the submission that was run last; NULL: none */
};

static volatile sig_atomic_t watch_signal;

static void
watch_on_signal(int number)
{
    watch_signal = number;
}

/* Has the same handler for each signal that a user ends a watch with, unless it is
 * ignored, for nohup. */
static void
watch_take_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now, then = {.sa_handler = watch_on_signal};

    sigemptyset(&then.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &then, NULL);
}

static void
watch_pause(int polls)
{
    const struct timespec step = {.tv_nsec = POLL_MS * 1000000L};

    for (int i = 0; i < polls && watch_signal == 0; i++)
        (void)nanosleep(&step, NULL);
}

/* --- the file --------------------------------------------------------------- */

/* FNV-1a, 64 bits. */
static uint64_t
watch_hash(const struct buf *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < text->len; i++)
        hash = (hash ^ (unsigned char)text->data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct watch_look
watch_look_at(const char *path)
{
    struct watch_look look = {0};
    struct report unused = {0};
    struct buf text = {0};
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return look;
    look = (struct watch_look){.there = true,
                               .size = (long long)st.st_size,
                               .inode = (long long)st.st_ino,
                               .seconds = (long long)st.st_mtime};
    /* A file system's time may have whole seconds only. */
    if (st.st_mtime >= time(NULL) - NEW_S &&
        file_read(path, SOURCE_BYTES_MAX, &text, &unused) == 0)
        look.hash = watch_hash(&text);
    buf_free(&text);
    return look;
}

static bool
watch_looks_same(const struct watch_look *a, const struct watch_look *b)
{
    return a->there == b->there && a->size == b->size && a->inode == b->inode &&
           a->seconds == b->seconds && a->hash == b->hash;
}

/* Is there a whole text that has not been run? */
static bool
watch_finds_text(struct watch *w)
{
    const struct watch_look look = watch_look_at(w->path);
    const bool same = watch_looks_same(&look, &w->look);

    w->look = look;
    w->away = look.there ? 0 : w->away + 1;
    if (w->away == AWAY_POLLS)
        terminal_print(&w->cli->err, STYLE_DIM, "%s is away: waiting for it\n", w->path);
    if (!same || !look.there || look.size == 0) {
        w->settled = false;
        return false;
    }
    if (w->settled)
        return w->again;
    w->settled = true;
    return true;
}

/* Loads the text. False where it is the text that was run, or could not be read as it
 * was seen; a text that is no source is told of once. */
static bool
watch_load(struct watch *w, struct source *source)
{
    struct report why = {0};
    const int rc = source_load(w->path, source, &why);
    const struct watch_look look = watch_look_at(w->path);
    const char *text = buf_str(&source->text);

    if (!watch_looks_same(&look, &w->look)) {
        w->settled = false; /* it was saved meanwhile */
        return false;
    }
    if (rc == 0 && w->text != NULL && strcmp(w->text, text) == 0 && !w->again)
        return false;
    free(w->text);
    w->text = xstrdup(rc == 0 ? text : "");
    w->again = false;
    if (rc != 0)
        terminal_print(&w->cli->err, STYLE_BAD, "%s\n", why.text);
    return rc == 0;
}

/* --- runs ------------------------------------------------------------------- */

/* Ends a step that failed. What is wrong is told, and the next save is waited for; what
 * cannot be tried again ends the watch. */
static int
watch_failed(struct watch *w, int status)
{
    struct report *r = &w->cli->report;
    const bool unreachable = status == EXIT_UNREACHABLE;

    if (status > EXIT_BY_SIGNAL) {
        watch_signal = status - EXIT_BY_SIGNAL;
        *r = (struct report){0};
        return 0;
    }
    if (report_is_set(r) && !w->again)
        terminal_print(&w->cli->err, STYLE_BAD, "%s%s\n", r->text,
                       unreachable ? "; trying again" : "");
    *r = (struct report){0};
    w->again = unreachable;
    if (unreachable)
        watch_pause(RETRY_POLLS);
    return 0;
}

/* Judges the source and prints the result, which the caller deletes. Returns an exit
 * status. */
static int
watch_judge(struct watch *w, const struct source *source, const char *mode,
            cJSON **submission)
{
    struct cli *cli = w->cli;
    cJSON *own_case = NULL;
    int64_t id = 0;
    int status;

    if (strcmp(mode, "run") == 0 && own_case_of_flags(cli, &own_case, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    status = submit_source(cli, source, mode, own_case, &id);
    if (status == 0)
        status = follow_submission(cli, (long)id, submission);
    if (status != 0)
        return status;
    submit_add_command(cli, *submission);
    result_print(&cli->out, *submission);
    return 0;
}

static int
watch_run(struct watch *w, const struct source *source)
{
    const struct terminal *out = &w->cli->out;
    cJSON *submission = NULL, *submitted = NULL;
    int status;

    terminal_print(out, STYLE_DIM, "%s--- %s\n", w->last != NULL ? "\n" : "", w->path);
    status = watch_judge(w, source, "run", &submission);
    if (status != 0)
        return watch_failed(w, status);
    w->again = false;
    watch_change_print(out, w->last, submission);
    cJSON_Delete(w->last);
    w->last = submission;
    fflush(out->file);
    if (w->cli->args.flag[FLAG_SUBMIT] == NULL ||
        result_exit_status(submission) != EXIT_ACCEPTED)
        return 0;
    terminal_print(out, STYLE_DIM, "\nit is right, and is submitted\n");
    status = watch_judge(w, source, "submit", &submitted);
    cJSON_Delete(submitted);
    fflush(out->file);
    return status != 0 ? watch_failed(w, status) : 0;
}

static int
watch_verb(struct cli *cli)
{
    struct watch w = {.cli = cli, .path = cli->args.positional[1]};
    const struct watch_look first = watch_look_at(w.path);
    cJSON *own_case = NULL;
    int status = 0;

    if (own_case_of_flags(cli, &own_case, &cli->report) != 0)
        return EXIT_BAD_INPUT;
    cJSON_Delete(own_case);
    if (!first.there) {
        report_fail(&cli->report, "there is no file %s to watch", w.path);
        return EXIT_BAD_INPUT;
    }
    watch_take_signals();
    while (watch_signal == 0 && status == 0) {
        struct source source = {0};

        if (watch_finds_text(&w) && watch_load(&w, &source))
            status = watch_run(&w, &source);
        source_free(&source);
        watch_pause(1);
    }
    free(w.text);
    cJSON_Delete(w.last);
    terminal_print(&cli->err, STYLE_DIM, "\nno longer watching %s\n", w.path);
    if (status != 0)
        return status;
    return watch_signal == SIGINT ? 0 : EXIT_BY_SIGNAL + (int)watch_signal;
}

static const struct verb_flag flags[] = {
    {FLAG_PROBLEM, "the problem, where the file does not name it"},
    {FLAG_DEVICE, "where to run: emu, cuda:0, ... (`warpjudge status` lists them)"},
    {FLAG_USER, "your name, instead of the login name"},
    {FLAG_SUBMIT, "submit each text that `run` finds right"},
    {FLAG_SIZE, "run a case of your own: one of its sizes"},
    {FLAG_VALUES, "of an input: ones, zeros, ramp, random, FILE.npy"},
    {FLAG_SEED, "draw its values by this number, or by 0"},
    {0, NULL},
};

const struct verb verb_watch = {
    .name = "watch",
    .arguments = "FILE.cu",
    .summary = "run a file at each save, and say what has changed",
    .about = "Runs FILE.cu as `run` does, now and at each save. Says which tests pass or "
             "fail\n"
             "since the last time, and how the modelled time has changed. With --submit "
             "what\n"
             "is right is submitted as well. A text that was run is not run again. "
             "Ctrl-C\n"
             "ends it.",
    .example = "  warpjudge watch vec.cu\n"
               "  warpjudge watch --submit vec.cu\n",
    .flags = flags,
    .kind = VERB_ASKS,
    .least = 1,
    .most = 1,
    .missing = "name the file to watch, as in `warpjudge watch vec.cu`",
    .run = watch_verb,
};
