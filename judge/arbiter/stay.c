#include "arbiter/stay.h"

#include "arbiter/judging/progress.h"
#include "arbiter/submission.h"
#include "base/report.h"
#include "record/job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

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

/* Is every process that we have started gone? */
static bool
has_no_children(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
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
        if (!has_no_children()) {
            fprintf(stderr, "a process of a judgement is left, so this arbiter ends\n");
            break;
        }
        if (!stock.last)
            progress_idle();
    }
    stock_close(&stock);
    return 0;
}
