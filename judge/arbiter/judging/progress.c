#include "arbiter/judging/progress.h"

#include "base/inject.h"
#include "record/job.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The judgement that lines are about; "": there is only one. */
static char fence[ARBITER_FENCE_MAX];

/* A line of this judgement that was read before it is waited for; "": there is none. */
static char early[ARBITER_FENCE_MAX + 16];
static bool dropped;

void
progress_begin(const char *of)
{
    snprintf(fence, sizeof fence, "%s", of);
    early[0] = '\0';
    dropped = false;
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
progress_measured(void)
{
    say_event("measured");
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

/* Is the line this word, with the fence if there is one? */
static bool
line_is(const char *line, const char *word)
{
    const size_t len = strlen(word);

    return strncmp(line, word, len) == 0 && line[len] == (fence[0] != '\0' ? ' ' : '\0');
}

/* Waits for a line, which is in `early` then, unless it is of another judgement. */
static bool
read_early(void)
{
    const bool is_read = progress_read_line(early, sizeof early);

    if (!is_read || is_of_another(early))
        early[0] = '\0';
    dropped = dropped || (fence[0] != '\0' && line_is(early, "drop"));
    return is_read;
}

/* Is the next line this one, or the other? The other may be NULL. */
static bool
wait_for_either(const char *wanted, const char *other, bool *is_other)
{
    bool is;

    while (early[0] == '\0')
        if (!read_early())
            return false;
    is = line_is(early, wanted);
    *is_other = other != NULL && line_is(early, other);
    early[0] = '\0';
    return is || *is_other;
}

bool
progress_wait_for(const char *wanted)
{
    bool ignored;

    return wait_for_either(wanted, NULL, &ignored);
}

bool
progress_wait_for_go(bool *follows)
{
    return wait_for_either("go", "follow", follows);
}

static bool
input_is_ready(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&in, 1, 0) > 0;
}

bool
progress_is_awaited(void)
{
    return early[0] != '\0' || input_is_ready();
}

bool
progress_is_unwanted(void)
{
    while (fence[0] != '\0' && early[0] == '\0' && input_is_ready())
        if (!read_early())
            return true;
    return dropped;
}

bool
progress_is_dropped(void)
{
    return dropped;
}
