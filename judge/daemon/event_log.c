/* A ring of events, each in a block of its own. */
#include "daemon/event_log.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

struct event_log {
    struct logged_event **ring; /* the event `number` is at number % most */
    size_t most;
    uint64_t first, last;
};

static char *
copy_string(char *at, const char *text, const char **out)
{
    const size_t bytes = strlen(text) + 1;

    *out = memcpy(at, text, bytes);
    return at + bytes;
}

static struct logged_event *
event_copy(const struct logged_event *e)
{
    struct logged_event *copy = xcalloc(1, sizeof *copy + strlen(e->user) +
                                               strlen(e->problem) + strlen(e->text) + 3);
    char *at = (char *)(copy + 1);

    *copy = *e;
    at = copy_string(at, e->user, &copy->user);
    at = copy_string(at, e->problem, &copy->problem);
    copy_string(at, e->text, &copy->text);
    return copy;
}

struct event_log *
event_log_new(size_t most)
{
    struct event_log *log = xcalloc(1, sizeof *log);

    log->most = most;
    log->ring = xcalloc(most, sizeof(struct logged_event *));
    log->first = 1;
    return log;
}

void
event_log_free(struct event_log *log)
{
    if (log == NULL)
        return;
    event_log_forget(log);
    free(log->ring);
    free(log);
}

uint64_t
event_log_add(struct event_log *log, const struct logged_event *event)
{
    struct logged_event **at = &log->ring[++log->last % log->most];

    if (log->last - log->first >= log->most)
        log->first++;
    free(*at);
    *at = event_copy(event);
    return log->last;
}

uint64_t
event_log_last(const struct event_log *log)
{
    return log->last;
}

uint64_t
event_log_first(const struct event_log *log)
{
    return log->first;
}

const struct logged_event *
event_log_get(const struct event_log *log, uint64_t number)
{
    return log->ring[number % log->most];
}

void
event_log_forget(struct event_log *log)
{
    for (size_t i = 0; i < log->most; i++) {
        free(log->ring[i]);
        log->ring[i] = NULL;
    }
    log->first = log->last + 1;
}

void
event_log_add_lost(struct event_log *log)
{
    log->last++;
    event_log_forget(log);
}
