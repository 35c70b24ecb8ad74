#include "daemon/devices.h"

#include "core/buf.h"
#include "core/json.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LIMIT_MS 60000 /* a cold GPU driver takes seconds to come up */

struct listing {
    struct devices *devices;
    struct event_base *base;
    struct report *report;
    bool failed;
};

static void
entry_free(struct device_entry *e)
{
    free(e->name);
    free(e->board);
    free(e->title);
    free(e->arch);
    *e = (struct device_entry){0};
}

static int
parse_entry(const char *line, struct device_entry *out, struct report *r)
{
    struct device_entry e = {0};
    cJSON *o = json_parse(line, strlen(line), "warpjudge-arbiter --devices", r);
    int rc = -1;

    if (o != NULL && json_get_string(o, "name", &e.name, r) == 0 &&
        json_get_string(o, "board", &e.board, r) == 0 &&
        json_get_string(o, "title", &e.title, r) == 0 &&
        json_get_string(o, "arch", &e.arch, r) == 0 &&
        json_get_int(o, "memory_bytes", &e.memory_bytes, r) == 0) {
        *out = e;
        rc = 0;
    } else {
        entry_free(&e);
    }
    cJSON_Delete(o);
    return rc;
}

static void
on_line(void *arg, const char *line)
{
    struct listing *l = arg;
    struct devices *d = l->devices;

    if (l->failed || d->count == DEVICES_MAX)
        return;
    if (parse_entry(line, &d->entry[d->count], l->report) == 0)
        d->count++;
    else
        l->failed = true;
}

static void
on_ended(void *arg, const struct child_end *end)
{
    struct listing *l = arg;

    if (end->signaled || end->code != 0) {
        char *text = child_end_text(end);

        report_fail(l->report, "the devices cannot be listed: warpjudge-arbiter %s",
                    text);
        l->failed = true;
        free(text);
    } else if (l->devices->count == 0) {
        report_fail(l->report, "warpjudge-arbiter --devices lists none, not even emu");
        l->failed = true;
    }
    event_base_loopbreak(l->base);
}

int
devices_load(struct devices *d, const struct config *c, struct event_base *base,
             struct children *children, struct report *r)
{
    struct devices found = {0};
    struct listing l = {.devices = &found, .base = base, .report = r};
    char *program = config_libexec(c, "warpjudge-arbiter");
    const char *argv[] = {program, "--devices", NULL};
    struct child_spec spec = {.name = "devices",
                              .argv = argv,
                              .limit_ms = LIST_LIMIT_MS,
                              .line = on_line,
                              .ended = on_ended,
                              .arg = &l};
    struct child *child;
    int rc = child_start(children, &spec, &child, r);

    free(program);
    if (rc != 0)
        return -1;
    if (event_base_dispatch(base) != 0)
        return report_fail(r, "the event loop failed while the devices were listed");
    if (l.failed) {
        devices_free(&found);
        return -1;
    }
    *d = found;
    return 0;
}

void
devices_free(struct devices *d)
{
    for (int i = 0; i < d->count; i++)
        entry_free(&d->entry[i]);
    d->count = 0;
}

const struct device_entry *
devices_find(const struct devices *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].name, name) == 0)
            return &d->entry[i];
    return NULL;
}

char *
devices_names(const struct devices *d)
{
    struct buf b = {0};

    for (int i = 0; i < d->count; i++)
        buf_printf(&b, "%s%s", i > 0 ? ", " : "", d->entry[i].name);
    return buf_take(&b);
}
