#include "arbiter/stay.h"

#include "arbiter/judging/progress.h"
#include "arbiter/submission.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/report.h"
#include "record/job.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define CHILDREN_BYTES_MAX ((size_t)1 << 16)

struct order {
    char line[ARBITER_ORDER_MAX];
    const char *fence, *folder;
    bool ahead;
};

/* Cuts the first word off *rest, which goes on behind the blank. */
static const char *
order_word(char **rest)
{
    const char *word = strsep(rest, " ");

    return word != NULL ? word : "";
}

/* Reads the line "job FENCE HOW FOLDER", of which the folder may have blanks. What an
 * earlier judgement has left unread comes before it and is skipped. Returns false at the
 * end of the input. */
static bool
order_read(struct order *o)
{
    char *rest;
    const char *how;

    do {
        if (!progress_read_line(o->line, sizeof o->line))
            return false;
        rest = o->line;
    } while (strcmp(order_word(&rest), "job") != 0);
    o->fence = order_word(&rest);
    how = order_word(&rest);
    o->ahead = strcmp(how, "ahead") == 0;
    if (rest == NULL || rest[0] != '/' || (!o->ahead && strcmp(how, "alone") != 0))
        die(2, "an order has no folder, or is neither ahead nor alone");
    o->folder = rest;
    return true;
}

/* Is this the only child of one of our threads, or none? A failure to tell counts as
 * another one. */
static bool
has_no_child_but(const char *thread, pid_t kept)
{
    char *path = xasprintf("/proc/self/task/%s/children", thread);
    struct report ignored = {0};
    struct buf pids = {0};
    bool none = file_read(path, CHILDREN_BYTES_MAX, &pids, &ignored) == 0;
    char *rest = pids.data;

    for (char *pid = strsep(&rest, " "); pid != NULL && none; pid = strsep(&rest, " "))
        none = *pid == '\0' || strtol(pid, NULL, 10) == kept;
    buf_free(&pids);
    free(path);
    return none;
}

/* Is every process gone that we have started, but for the one that is kept? kept may be
 * 0. */
static bool
has_no_children_but(pid_t kept)
{
    siginfo_t info;
    DIR *threads;
    bool none;

    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD && kept == 0;
    threads = kept != 0 ? opendir("/proc/self/task") : NULL;
    none = threads != NULL;
    for (struct dirent *e = none ? readdir(threads) : NULL; e != NULL && none;
         e = readdir(threads))
        none = e->d_name[0] == '.' || has_no_child_but(e->d_name, kept);
    if (threads != NULL)
        (void)closedir(threads);
    return none;
}

int
stay_and_judge(int most)
{
    struct stock stock = {0};
    struct order order;

    for (int judged = 0; judged < most && order_read(&order); judged++) {
        progress_begin(order.fence);
        stock.last = judged + 1 == most;
        if (!judge_submission(order.folder, order.ahead, &stock))
            break;
        if (!has_no_children_but(stock_pid(&stock))) {
            fprintf(stderr, "a process of a judgement is left, so this arbiter ends\n");
            break;
        }
        if (!stock.last)
            progress_idle();
    }
    stock_close(&stock);
    return 0;
}
