#include "arbiter/judging/progress.h"

#include "base/inject.h"
#include "record/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The judgement that lines are about; "": there is only one. */
static char fence[ARBITER_FENCE_MAX];

void
progress_begin(const char *of)
{
    snprintf(fence, sizeof fence, "%s", of);
}

/* Prints the end of an event, with its fence if there is one. */
static void
end_event(void)
{
    if (fence[0] != '\0')
        printf(",\"job\":\"%s\"", fence);
    puts("}");
    fflush(stdout);
}

void
progress(const char *event, int done, int of)
{
    inject_kill(INJECT_ARBITER_KILLED);
    printf("{\"event\":\"%s\",\"done\":%d,\"of\":%d", event, done, of);
    end_event();
}

static void
say_event(const char *event)
{
    printf("{\"event\":\"%s\"", event);
    end_event();
}

void
progress_preparing(void)
{
    say_event("preparing");
}

void
progress_neighbour_may_start(void)
{
    say_event("room");
}

void
progress_result(void)
{
    say_event("result");
}

void
progress_idle(void)
{
    say_event("idle");
}

bool
progress_read_line(char *line, size_t size)
{
    size_t len = 0;

    while (len < size - 1) {
        const ssize_t n = read(STDIN_FILENO, line + len, 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        if (line[len++] == '\n') {
            line[len - 1] = '\0';
            return true;
        }
    }
    return false;
}

/* Does the line have another fence than this judgement's? An earlier one may have ended
 * before it read all of its lines. */
static bool
is_of_another(const char *line)
{
    const char *blank = strchr(line, ' ');

    return fence[0] != '\0' && blank != NULL && strcmp(blank + 1, fence) != 0;
}

bool
progress_wait_for(const char *wanted)
{
    char line[ARBITER_FENCE_MAX + 16];
    const size_t len = strlen(wanted);

    do {
        if (!progress_read_line(line, sizeof line))
            return false;
    } while (is_of_another(line));
    return strncmp(line, wanted, len) == 0 &&
           line[len] == (fence[0] != '\0' ? ' ' : '\0');
}
