/* Looks at what solutions a problem has, and which of them lack a mark. */
#include "daemon/house.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/meanings.h"
#include "daemon/specs.h"
#include "problem/ladder.h"

#include <stdlib.h>
#include <string.h>

/* What a problem's solutions are looked at for. */
struct look {
    struct house_run *run;
    const char *slug;
    const struct device_entry *device; /* one that has the run's board */
    struct ladder ladder;
    struct marks marks; /* on the board of today */
};

/* Adds a step, which takes over `why`. */
static struct house_step *
add_step(struct house_run *run, const char *slug, const char *filename,
         enum house_fate fate, char *why)
{
    struct house_step *step;

    run->step = xrealloc(run->step, (run->step_count + 1) * sizeof *run->step);
    step = &run->step[run->step_count++];
    *step = (struct house_step){.problem = xstrdup(slug),
                                .filename = filename != NULL ? xstrdup(filename) : NULL,
                                .fate = fate,
                                .why = why};
    return step;
}

/* The number of an architecture, 90 for "sm_90a" and 80 for "compute_80". */
static long
arch_number(const char *arch)
{
    const char *digits = strchr(arch, '_');

    return digits != NULL ? strtol(digits + 1, NULL, 10) : 0;
}

/* Does a device of this architecture have what the other one has? What only one
 * architecture has, as with the a of sm_90a, no later one has. */
static bool
arch_has(const char *arch, const char *needs)
{
    const char last = needs[0] != '\0' ? needs[strlen(needs) - 1] : '\0';

    if (last >= 'a' && last <= 'z')
        return strcmp(arch, needs) == 0;
    return arch_number(arch) >= arch_number(needs);
}

/* Why a solution is not judged on the device; NULL where it is. The caller frees. */
static char *
skip_reason(const struct ladder_step *step, const struct device_entry *e)
{
    const bool emu = strcmp(e->board, "emu") == 0;

    if (step->needs != NULL && (emu || !arch_has(e->arch, step->needs)))
        return xasprintf("is not judged on %s: it needs %s", e->board, step->needs);
    if (step->not_modelled != NULL && emu)
        return xasprintf("is not judged on emu: it gains by what is not modelled (%s)",
                         step->not_modelled);
    return NULL;
}

static bool
has_mark(const struct marks *marks, const char *filename, const char *sha256)
{
    for (size_t i = 0; i < marks->count; i++)
        if (strcmp(marks->row[i].filename, filename) == 0 &&
            strcmp(marks->row[i].sha256, sha256) == 0)
            return true;
    return false;
}

static void
look_at_step(struct look *l, int number)
{
    const char *filename = l->ladder.filename[number - 1];
    struct ladder_step text;
    struct report r = {0};
    char *why, sha256[65];

    if (ladder_read(&l->ladder, number, &text, &r) != 0) {
        add_step(l->run, l->slug, filename, HOUSE_FAILED,
                 xasprintf("cannot be read: %s", r.text));
        return;
    }
    why = skip_reason(&text, l->device);
    hash_hex(text.source, strlen(text.source), sha256);
    if (why != NULL)
        add_step(l->run, l->slug, filename, HOUSE_SKIPPED, why);
    else
        add_step(l->run, l->slug, filename,
                 has_mark(&l->marks, filename, sha256) ? HOUSE_KEPT : HOUSE_WAITS, NULL);
    ladder_step_free(&text);
}

/* Is the file one of the steps that were added since `first`, and judged here? */
static bool
is_judged_here(const struct house_run *run, size_t first, const char *filename)
{
    for (size_t i = first; i < run->step_count; i++)
        if (run->step[i].fate != HOUSE_SKIPPED &&
            strcmp(run->step[i].filename, filename) == 0)
            return true;
    return false;
}

static int
look_at_ladder(struct daemon *d, struct look *l, const struct board *board,
               struct report *r)
{
    const size_t first = l->run->step_count;

    if (store_marks(d->store, board, &l->marks, r) != 0)
        return -1;
    for (int number = 1; number <= l->ladder.count; number++)
        look_at_step(l, number);
    for (size_t i = 0; i < l->marks.count; i++)
        if (!is_judged_here(l->run, first, l->marks.row[i].filename) &&
            store_drop_mark(d->store, board, l->marks.row[i].filename, r) != 0)
            return -1;
    if (l->ladder.count == 0)
        add_step(l->run, l->slug, NULL, HOUSE_SKIPPED,
                 xstrdup("has no right solution in solutions/"));
    return 0;
}

static const struct device_entry *
device_of_board(const struct devices *d, const char *board)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->entry[i].board, board) == 0)
            return &d->entry[i];
    return NULL;
}

int
house_look(struct daemon *d, struct house_run *run, const char *slug, struct report *r)
{
    struct look l = {
        .run = run, .slug = slug, .device = device_of_board(&d->devices, run->board)};
    struct report why = {0};
    struct board board;
    bool exists;
    const struct problem *p = specs_get(d->specs, slug, &exists, &why);
    int rc;

    if (l.device == NULL)
        return 0; /* house_check_devices() ends the run */
    if (p == NULL) {
        add_step(run, slug, NULL, HOUSE_FAILED,
                 xasprintf("cannot be used: %s", why.text));
        return 0;
    }
    if (devices_take(&d->devices, l.device, p, &why) != 0) {
        add_step(run, slug, NULL, HOUSE_SKIPPED,
                 xasprintf("is not judged on %s: %s", run->board, why.text));
        return 0;
    }
    if (ladder_find_right(specs_dir(d->specs), slug, &l.ladder, &why) != 0) {
        add_step(run, slug, NULL, HOUSE_FAILED,
                 xasprintf("has solutions that cannot be read: %s", why.text));
        return 0;
    }
    board = (struct board){slug, run->board, meanings_get(d->meanings, slug, run->board)};
    rc = look_at_ladder(d, &l, &board, r);
    marks_free(&l.marks);
    ladder_free(&l.ladder);
    return rc;
}
