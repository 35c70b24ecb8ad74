#include "arbiter/judging/progress.h"

#include "base/inject.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

bool
progress_wait_for(const char *wanted)
{
    char line[16] = "";
    size_t len = 0;

    while (len < sizeof line - 1 && memchr(line, '\n', len) == NULL) {
        ssize_t n = read(STDIN_FILENO, line + len, 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        len++;
    }
    return strcmp(line, wanted) == 0;
}
