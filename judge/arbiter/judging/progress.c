#include "arbiter/judging/progress.h"

#include "base/inject.h"

#include <stdio.h>

void
progress(const char *event, int done, int of)
{
    inject_kill(INJECT_ARBITER_KILLED);
    printf("{\"event\":\"%s\",\"done\":%d,\"of\":%d}\n", event, done, of);
    fflush(stdout);
}

void
progress_preparing(void)
{
    puts("{\"event\":\"preparing\"}");
    fflush(stdout);
}

void
progress_neighbour_may_start(void)
{
    puts("{\"event\":\"room\"}");
    fflush(stdout);
}

void
progress_result(void)
{
    puts("{\"event\":\"result\"}");
    fflush(stdout);
}
