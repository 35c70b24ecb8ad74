#include "daemon/slurm/command.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
slurm_command_find(const char *name)
{
    const char *at = getenv("PATH");

    while (at != NULL && *at != '\0') {
        const size_t len = strcspn(at, ":");
        char *path = xasprintf("%.*s/%s", (int)len, at, name);

        if (path[0] == '/' && access(path, X_OK) == 0)
            return path;
        free(path);
        at += len + (at[len] == ':');
    }
    return NULL;
}

static void
command_line(void *arg, const char *line)
{
    struct slurm_command *c = arg;

    if (c->too_long)
        return;
    if (++c->lines > COMMAND_LINES_MAX) {
        c->too_long = true;
        child_kill(c->child);
        return;
    }
    c->line(c->arg, line);
}

static void
command_ended(void *arg, const struct child_end *end)
{
    struct slurm_command *c = arg;
    struct report failed = {0};

    c->child = NULL;
    if (c->too_long) {
        report_fail(&failed, "%s prints more than %d lines", c->program,
                    COMMAND_LINES_MAX);
    } else if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        report_fail(&failed, "%s %s", c->program, text);
        free(text);
    }
    c->ended(c->arg, &failed);
}

int
slurm_command_start(struct slurm_command *c, struct children *children,
                    const char *const *words, struct report *r)
{
    const struct child_spec spec = {.name = c->program,
                                    .argv = words,
                                    .limit_ms = COMMAND_LIMIT_MS,
                                    .line = command_line,
                                    .ended = command_ended,
                                    .arg = c};

    c->lines = 0;
    c->too_long = false;
    return child_start(children, &spec, &c->child, r);
}
