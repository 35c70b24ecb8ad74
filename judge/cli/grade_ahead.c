#include "cli/grade_ahead.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

struct grade_waiting {
    struct grade_waiting *next; /* the one that was read later */
    struct grade_line line;
};

bool
grade_ahead_is_full(const struct grade_ahead *a)
{
    return a->count >= GRADE_AHEAD_MAX || a->bytes >= GRADE_AHEAD_BYTES;
}

void
grade_ahead_add(struct grade_ahead *a, const struct grade_line *line)
{
    struct grade_waiting *w = xcalloc(1, sizeof *w);

    w->line = *line;
    if (a->last != NULL)
        a->last->next = w;
    else
        a->first = w;
    a->last = w;
    a->count++;
    a->bytes += strlen(line->source);
}

/* The line before the one whose turn it is; NULL: the first one's turn it is. */
static struct grade_waiting *
before_next(const struct grade_ahead *a)
{
    struct grade_waiting *before = NULL;

    if (a->problem == NULL || a->in_a_row >= GRADE_IN_A_ROW)
        return NULL;
    for (struct grade_waiting *w = a->first; w != NULL; before = w, w = w->next)
        if (strcmp(w->line.problem, a->problem) == 0)
            return before;
    return NULL;
}

bool
grade_ahead_take(struct grade_ahead *a, struct grade_line *out)
{
    struct grade_waiting *before = before_next(a);
    struct grade_waiting *w = before != NULL ? before->next : a->first;

    if (w == NULL)
        return false;
    if (before != NULL)
        before->next = w->next;
    else
        a->first = w->next;
    if (a->last == w)
        a->last = before;
    a->count--;
    a->bytes -= strlen(w->line.source);
    if (a->problem == NULL || strcmp(a->problem, w->line.problem) != 0) {
        free(a->problem);
        a->problem = xstrdup(w->line.problem);
        a->in_a_row = 0;
    }
    /* The line whose turn it is by age begins a new row, whatever its problem is. */
    a->in_a_row = a->in_a_row >= GRADE_IN_A_ROW ? 1 : a->in_a_row + 1;
    *out = w->line;
    free(w);
    return true;
}

void
grade_ahead_free(struct grade_ahead *a)
{
    struct grade_line line;

    while (grade_ahead_take(a, &line))
        grade_line_free(&line);
    free(a->problem);
    *a = (struct grade_ahead){0};
}
