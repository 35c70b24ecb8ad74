#include "daemon/course_order.h"

#include "base/buf.h"
#include "daemon/specs.h"
#include "problem/course.h"
#include "problem/vocabulary.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

struct course_order {
    struct specs *specs;
    struct course *course;
    char **slugs;
    int count;
    int added; /* how many of the slugs the course has been told */
    int placed;
};

struct course_order *
course_order_new(struct specs *specs, char **slugs, int count, struct report *r)
{
    cJSON *lessons = vocabulary_lessons(specs_dir(specs), r);
    struct course_order *o;

    if (lessons == NULL)
        return NULL;
    o = xcalloc(1, sizeof *o);
    o->specs = specs;
    o->course = vocabulary_course(lessons);
    o->slugs = slugs;
    o->count = count;
    cJSON_Delete(lessons);
    return o;
}

void
course_order_free(struct course_order *o)
{
    if (o == NULL)
        return;
    course_free(o->course);
    free(o);
}

/* Adds one to the course. A problem whose spec does not load has no place in it. */
static void
order_add(struct course_order *o)
{
    struct report broken = {0};
    bool exists;
    const struct problem *p = specs_get(o->specs, o->slugs[o->added++], &exists, &broken);

    if (p != NULL)
        course_add(o->course, p, (struct course_state){0});
}

/* Moves a slug to the place behind those that have theirs. */
static void
order_place(struct course_order *o, const char *slug)
{
    int at = o->placed;
    char *moved;

    while (strcmp(o->slugs[at], slug) != 0)
        at++;
    moved = o->slugs[at];
    memmove(&o->slugs[o->placed + 1], &o->slugs[o->placed],
            (size_t)(at - o->placed) * sizeof *o->slugs);
    o->slugs[o->placed++] = moved;
}

bool
course_order_step(struct course_order *o)
{
    const char *slug;

    if (o->added < o->count) {
        order_add(o);
        return true;
    }
    slug = course_advance(o->course);
    if (slug != NULL)
        order_place(o, slug);
    return slug != NULL;
}
