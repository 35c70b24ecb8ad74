#include "arbiter/progress.h"

#include <stdio.h>

void
progress(const char *event, int done, int of)
{
    printf("{\"event\":\"%s\",\"done\":%d,\"of\":%d}\n", event, done, of);
    fflush(stdout);
}

void
progress_preparing(void)
{
    puts("{\"event\":\"preparing\"}");
    fflush(stdout);
}
