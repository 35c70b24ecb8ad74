#include "daemon/line.h"

#include "base/buf.h"
#include "daemon/attempt.h"
#include "daemon/workers.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_COST_MS 3000.0 /* before anything was judged on a device */

struct line *
line_find(struct line **list, const char *device, int width)
{
    struct line *line = *list;

    while (line != NULL && strcmp(line->device, device) != 0)
        line = line->next;
    if (line == NULL) {
        line = xcalloc(1, sizeof *line);
        line->next = *list;
        line->device = xstrdup(device);
        line->width = width;
        line->cost_ms[0] = FIRST_COST_MS;
        line->cost_ms[1] = FIRST_COST_MS / 2;
        *list = line;
    }
    return line;
}

void
lines_free(struct line *list)
{
    for (struct line *next; list != NULL; list = next) {
        next = list->next;
        free(list->device);
        free(list);
    }
}

void
line_clear(struct line *line)
{
    line->front_count = 0;
    line->waiting = line->waiting_pairs = line->compiled = 0;
    line->idle_pair = false;
    line->wait_ms = 0;
}

/* Which goes first on a device: what has begun there, what is judged again, what is
 * prepared, and then what is compiled. */
static int
line_readiness(const struct attempt *a)
{
    if (a->phase >= RUNNING)
        return 4;
    if (a->number > 1)
        return 3;
    return a->arbiter != NULL ? 2 : a->phase == READY;
}

/* Does a go first on a device, although b stands before it? What is compiled overtakes a
 * younger one that is not, so that no device idles while a newcomer's is compiled. */
static bool
line_goes_first(const struct attempt *a, const struct attempt *b)
{
    const int ready = line_readiness(a), other = line_readiness(b);

    if (a->idle != IDLE_NOT && b->idle == IDLE_NOT)
        return ready > other && ready > 1;
    return ready > other && (ready > 1 || a->id < b->id);
}

void
line_take_in(struct line *line, const struct attempt *a)
{
    int at = 0;

    while (at < line->front_count && !line_goes_first(a, line->front[at]))
        at++;
    if (at > line->width)
        return;
    if (line->front_count <= line->width)
        line->front_count++;
    for (int i = line->front_count - 1; i > at; i--)
        line->front[i] = line->front[i - 1];
    line->front[at] = a;
}

double
line_wait_ms(const struct line *line)
{
    const int all = line->width + (line->workers != NULL ? line->workers->live : 0);

    return line->wait_ms / (all > 1 ? all : 1);
}

bool
line_has_place(const struct line *line)
{
    return line->front_count < line->width;
}

bool
line_has_in_front(const struct line *line, const struct attempt *a)
{
    for (int i = 0; i < line->front_count && i < line->width; i++)
        if (line->front[i] == a)
            return true;
    return false;
}

const struct attempt *
line_next(const struct line *line)
{
    return line->front_count > line->width ? line->front[line->width] : NULL;
}

const struct attempt *
line_alone(const struct line *line)
{
    for (int i = 0; line->width > 1 && i < line->front_count && i < line->width; i++)
        if (line->front[i]->number > 1)
            return line->front[i];
    return NULL;
}

void
line_forget_holders(struct line *line)
{
    line->held = 0;
    line->leaving = 0;
}

static void
line_hold(struct line *line, const struct attempt *a)
{
    if (line->held < line->width)
        line->holder[line->held++] = a;
}

void
line_note_arbiter(struct line *line, const struct attempt *a)
{
    if (attempt_is_leaving(a))
        line->leaving++;
    else if (line_has_in_front(a->line, a))
        line_hold(line, a);
}

bool
line_take(struct line *line, const struct attempt *a)
{
    for (int i = 0; i < line->held; i++)
        if (line->holder[i] == a)
            return true;
    if (line->held == line->width)
        return false;
    line_hold(line, a);
    return true;
}

bool
line_is_being_left(const struct line *line)
{
    return line->leaving > 0 && line->held + line->leaving > line->width;
}
