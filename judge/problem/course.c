#include "problem/course.h"

#include "base/buf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A list of texts of its own. */
struct texts {
    char **text;
    size_t count;
};

struct node {
    char *slug;
    struct texts teaches, after;
    struct node **before;       /* the problems of `after` that are there */
    const char **solved_before; /* those of them that are solved; ends with NULL */
    size_t before_count;
    int level; /* 0: easy, 1: medium, 2: hard */
    struct course_state state;
    bool known;  /* it is solved, or comes before what is */
    bool marked; /* it is on the way that is looked at */
    bool chosen;
    int depth; /* how long the longest chain of problems before it is; -1: not known yet
                */
};

struct course {
    struct texts lessons;
    bool *learned; /* for each lesson */
    struct node **node;
    size_t count;
    bool linked;
};

/* --- making it ---------------------------------------------------------------------- */

static struct texts
texts_copy(const char *const *text, size_t count)
{
    struct texts t = {xcalloc(count + 1, sizeof *t.text), count};

    for (size_t i = 0; i < count; i++)
        t.text[i] = xstrdup(text[i]);
    return t;
}

static void
texts_free(struct texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->text[i]);
    free(t->text);
}

struct course *
course_new(const char *const *lessons, size_t count)
{
    struct course *c = xcalloc(1, sizeof *c);

    c->lessons = texts_copy(lessons, count);
    c->learned = xcalloc(count + 1, sizeof *c->learned);
    return c;
}

void
course_free(struct course *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->count; i++) {
        struct node *n = c->node[i];

        texts_free(&n->teaches);
        texts_free(&n->after);
        free(n->before);
        free(n->solved_before);
        free(n->slug);
        free(n);
    }
    texts_free(&c->lessons);
    free(c->learned);
    free(c->node);
    free(c);
}

static int
difficulty_level(const char *difficulty)
{
    if (difficulty == NULL || strcmp(difficulty, "hard") == 0)
        return 2;
    return strcmp(difficulty, "medium") == 0 ? 1 : 0;
}

void
course_add(struct course *c, const struct problem *p, struct course_state state)
{
    struct node *n = xcalloc(1, sizeof *n);

    n->slug = xstrdup(p->slug);
    n->teaches = texts_copy(p->teaches, (size_t)p->teaches_count);
    n->after = texts_copy(p->after, (size_t)p->after_count);
    n->level = difficulty_level(p->difficulty);
    n->state = state;
    n->depth = -1;
    c->node = xrealloc(c->node, (c->count + 1) * sizeof(struct node *));
    c->node[c->count++] = n;
    c->linked = false;
}

size_t
course_count(const struct course *c)
{
    return c->count;
}

size_t
course_solved(const struct course *c)
{
    size_t solved = 0;

    for (size_t i = 0; i < c->count; i++)
        solved += c->node[i]->state.solved;
    return solved;
}

/* --- what is known ------------------------------------------------------------------ */

static struct node *
node_find(const struct course *c, const char *slug)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->node[i]->slug, slug) == 0)
            return c->node[i];
    return NULL;
}

/* Finds the problems before one. A name that is not there asks for nothing. */
static void
node_link(const struct course *c, struct node *n)
{
    size_t solved = 0;

    free(n->before);
    free(n->solved_before);
    n->before = xcalloc(n->after.count + 1, sizeof(struct node *));
    n->solved_before = xcalloc(n->after.count + 1, sizeof *n->solved_before);
    n->before_count = 0;
    for (size_t i = 0; i < n->after.count; i++) {
        struct node *before = node_find(c, n->after.text[i]);

        if (before == NULL)
            continue;
        n->before[n->before_count++] = before;
        if (before->state.solved)
            n->solved_before[solved++] = before->slug;
    }
}

static void
node_know(struct node *n)
{
    if (n->known)
        return;
    n->known = true;
    for (size_t i = 0; i < n->before_count; i++)
        node_know(n->before[i]);
}

/* A circle counts as if it were cut where the walk has entered it. */
static int
node_depth(struct node *n)
{
    int depth = 0;

    if (n->depth >= 0)
        return n->depth;
    n->depth = 0;
    for (size_t i = 0; i < n->before_count; i++) {
        const int before = node_depth(n->before[i]) + 1;

        depth = before > depth ? before : depth;
    }
    n->depth = depth;
    return depth;
}

/* The place of a lesson in the course's order, which is after all others where the order
 * does not have it. */
static size_t
lesson_index(const struct course *c, const char *lesson)
{
    size_t i = 0;

    while (i < c->lessons.count && strcmp(c->lessons.text[i], lesson) != 0)
        i++;
    return i;
}

/* What the problem teaches is learned. */
static void
course_learn(struct course *c, const struct node *n)
{
    for (size_t k = 0; k < n->teaches.count; k++)
        c->learned[lesson_index(c, n->teaches.text[k])] = true;
}

static void
course_link(struct course *c)
{
    for (size_t i = 0; i < c->count; i++)
        node_link(c, c->node[i]);
    for (size_t i = 0; i < c->count; i++) {
        struct node *n = c->node[i];

        node_depth(n);
        if (n->state.solved)
            node_know(n);
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->node[i]->known)
            course_learn(c, c->node[i]);
    c->linked = true;
}

/* --- the way to a lesson ------------------------------------------------------------ */

static void
marks_clear(struct course *c)
{
    for (size_t i = 0; i < c->count; i++)
        c->node[i]->marked = false;
}

/* Marks a problem and all before it that are not known. Returns how many they are;
 * INT_MAX where a closed one is among them. */
static int
way_mark(struct node *n)
{
    int length = 1;

    if (n->known || n->marked)
        return 0;
    n->marked = true;
    if (n->state.closed)
        return INT_MAX;
    for (size_t i = 0; i < n->before_count; i++) {
        const int more = way_mark(n->before[i]);

        if (more == INT_MAX)
            return INT_MAX;
        length += more;
    }
    return length;
}

/* Do all problems before it count as solved, or lie off the marked way? */
static bool
node_begins_way(const struct node *n)
{
    for (size_t i = 0; i < n->before_count; i++)
        if (n->before[i]->marked)
            return false;
    return true;
}

/* How a problem compares with others, the smallest first. */
struct order {
    int length;    /* of the way to it */
    size_t lesson; /* which of its lessons it is, or which lesson of the course */
    int level, depth;
    const char *slug;
};

static int
order_compare(const struct order *a, const struct order *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->lesson != b->lesson)
        return a->lesson < b->lesson ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return strcmp(a->slug, b->slug);
}

/* Which of the problem's lessons has this name; its count where none has. */
static size_t
node_teaches(const struct node *n, const char *lesson)
{
    size_t i = 0;

    while (i < n->teaches.count && strcmp(n->teaches.text[i], lesson) != 0)
        i++;
    return i;
}

/* The problem that teaches the lesson at the end of the shortest way, or NULL. */
static struct node *
lesson_target(struct course *c, const char *lesson)
{
    struct order best = {0};
    struct node *target = NULL;

    for (size_t i = 0; i < c->count; i++) {
        struct node *n = c->node[i];
        struct order o = {
            .lesson = node_teaches(n, lesson), .level = n->level, .slug = n->slug};

        if (o.lesson == n->teaches.count || n->known)
            continue;
        marks_clear(c);
        o.length = way_mark(n);
        if (o.length != INT_MAX && (target == NULL || order_compare(&o, &best) < 0)) {
            target = n;
            best = o;
        }
    }
    return target;
}

/* The first problem on the way to a target. */
static struct node *
way_begin(struct course *c, struct node *target)
{
    struct order best = {0};
    struct node *begin = NULL;

    marks_clear(c);
    way_mark(target);
    for (size_t i = 0; i < c->count; i++) {
        struct node *n = c->node[i];
        const struct order o = {.level = n->level, .depth = n->depth, .slug = n->slug};

        if (n->marked && node_begins_way(n) &&
            (begin == NULL || order_compare(&o, &best) < 0)) {
            begin = n;
            best = o;
        }
    }
    return begin != NULL ? begin : target; /* a circle has no beginning */
}

/* --- what comes next ---------------------------------------------------------------- */

static struct course_step
make_step(struct node *n, const char *lesson, const struct node *target)
{
    n->chosen = true;
    return (struct course_step){.slug = n->slug,
                                .lesson = lesson,
                                .toward = target != n ? target->slug : NULL,
                                .solved = n->solved_before,
                                .tried = n->state.tried};
}

/* May it be practised now? */
static bool
is_practice(const struct node *n)
{
    if (n->state.solved || n->state.closed || n->chosen)
        return false;
    for (size_t i = 0; i < n->before_count; i++)
        if (!n->before[i]->known)
            return false;
    return true;
}

static struct node *
next_practice(const struct course *c)
{
    struct order best = {0};
    struct node *next = NULL;

    for (size_t i = 0; i < c->count; i++) {
        struct node *n = c->node[i];
        const struct order o = {.length = n->known, /* what is known comes last */
                                .level = n->level,
                                .lesson = n->teaches.count > 0
                                              ? lesson_index(c, n->teaches.text[0])
                                              : c->lessons.count,
                                .depth = n->depth,
                                .slug = n->slug};

        if (is_practice(n) && (next == NULL || order_compare(&o, &best) < 0)) {
            next = n;
            best = o;
        }
    }
    return next;
}

size_t
course_next(struct course *c, struct course_step *out, size_t most)
{
    size_t count = 0;
    struct node *n;

    if (!c->linked)
        course_link(c);
    for (size_t i = 0; i < c->count; i++)
        c->node[i]->chosen = false;
    for (size_t i = 0; i < c->lessons.count && count < most; i++) {
        struct node *target = c->learned[i] ? NULL : lesson_target(c, c->lessons.text[i]);

        n = target != NULL ? way_begin(c, target) : NULL;
        if (n != NULL && !n->chosen)
            out[count++] = make_step(n, c->lessons.text[i], target);
    }
    while (count < most && (n = next_practice(c)) != NULL)
        out[count++] = make_step(n, NULL, n);
    return count;
}

const char *
course_advance(struct course *c)
{
    struct course_step step;
    struct node *n;

    if (course_next(c, &step, 1) == 0)
        return NULL;
    n = node_find(c, step.slug);
    n->state.solved = true;
    node_know(n);
    course_learn(c, n);
    return n->slug;
}
