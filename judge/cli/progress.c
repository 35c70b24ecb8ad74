/* Turns the events of a submission into what is shown of its progress. */
#include "cli/progress.h"

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/result.h"

#include <string.h>

void
progress_begin(struct progress *p, const struct terminal *t, bool json, long id)
{
    *p = (struct progress){.terminal = t, .id = id, .quiet = json && !t->live};
}

/* `text` is the line on a terminal. `line` is printed once for each stage elsewhere. */
static void
progress_show(struct progress *p, const char *stage, const char *text, const char *line)
{
    char whole[160];

    if (p->quiet)
        return;
    if (p->terminal->live) {
        snprintf(whole, sizeof whole, "submission %ld: %s", p->id, text);
        terminal_rewrite(p->terminal, whole);
    } else if (strcmp(p->stage, stage) != 0) {
        terminal_print(p->terminal, STYLE_PLAIN, "%s\n", line);
        fflush(p->terminal->file);
    }
    snprintf(p->stage, sizeof p->stage, "%s", stage);
}

static void
show_queued(struct progress *p, const cJSON *event)
{
    const char *why = answer_string(event, "waiting_reason");
    char text[80];

    result_place(text, sizeof text, event);
    progress_show(p, "queued", text, text);
    if (p->quiet || strncmp(p->reason, why, sizeof p->reason - 1) == 0)
        return;
    snprintf(p->reason, sizeof p->reason, "%s", why);
    if (why[0] == '\0')
        return;
    if (p->terminal->live)
        terminal_rewrite(p->terminal, "");
    terminal_paragraph(p->terminal, STYLE_WARN, 0, "it waits: %s", why);
    if (p->terminal->live)
        progress_show(p, "queued", text, text);
    fflush(p->terminal->file);
}

void
progress_event(struct progress *p, const char *name, const cJSON *event)
{
    long done = answer_count(event, "done"), of = answer_count(event, "of");
    struct text32 count;
    char text[80], line[80];

    if (strcmp(name, "queued") == 0 || strcmp(name, "waiting") == 0) {
        show_queued(p, event);
    } else if (strcmp(name, "compiling") == 0) {
        progress_show(p, name, "compiling", "compiling");
    } else if (strcmp(name, "compiled") == 0) {
        progress_show(p, name, "compiled, the tests are next",
                      answer_true(event, "cached")
                          ? "compiled (unchanged since the last time)"
                          : "compiled");
    } else if (strcmp(name, "test") == 0) {
        snprintf(text, sizeof text, "test %ld of %ld", done, of);
        snprintf(line, sizeof line, "testing (%s)", format_plural(&count, of, "test"));
        progress_show(p, name, text, line);
    } else if (strcmp(name, "timing") == 0) {
        snprintf(text, sizeof text, "timing %ld of %ld", done, of);
        snprintf(line, sizeof line, "timing (%s)", format_plural(&count, of, "call"));
        progress_show(p, name, text, line);
    }
}

void
progress_waiting(struct progress *p)
{
    progress_show(p, "waiting", "the judge went away; waiting for it to come back",
                  "the judge went away; waiting for it to come back");
}

void
progress_end(struct progress *p)
{
    if (!p->quiet && p->stage[0] != '\0')
        terminal_rewrite(p->terminal, "");
}
