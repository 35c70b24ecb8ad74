/* Keeps what each person has used of the devices, by the minute. */
#include "daemon/people.h"

#include "base/buf.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_MINUTE 60000000000u
#define BUCKETS 1024

struct people {
    struct person *bucket[BUCKETS];
};

static struct person **
people_bucket(const struct people *all, const char *name)
{
    uint32_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return (struct person **)(uintptr_t)&all->bucket[hash % BUCKETS];
}

static struct person *
people_find(const struct people *all, const char *name)
{
    struct person *p = *people_bucket(all, name);

    while (p != NULL && strcmp(p->name, name) != 0)
        p = p->next;
    return p;
}

struct person *
people_enter(struct people *all, const char *name)
{
    struct person *p = people_find(all, name), **bucket = people_bucket(all, name);

    if (p == NULL) {
        p = xcalloc(1, sizeof *p);
        *p = (struct person){.next = *bucket, .name = xstrdup(name)};
        *bucket = p;
    }
    p->places++;
    return p;
}

/* Takes the minutes away that are more than an hour ago. */
static void
person_forget_old(struct person *p, uint64_t now_ns)
{
    const int64_t now = (int64_t)(now_ns / NS_PER_MINUTE);

    if (now - p->minute >= USE_MINUTES)
        memset(p->used_ms, 0, sizeof p->used_ms);
    else
        while (p->minute < now)
            p->used_ms[++p->minute % USE_MINUTES] = 0;
    p->minute = now;
}

void
people_leave(struct people *all, struct person *p)
{
    struct person **at = people_bucket(all, p->name);
    const uint64_t now = now_ns();

    p->places--;
    while (*at != NULL) {
        struct person *other = *at;

        if (other->places == 0 && !(person_use_ms(other, now) > 0)) {
            *at = other->next;
            free(other->name);
            free(other);
        } else {
            at = &other->next;
        }
    }
}

int
people_places(const struct people *all, const char *name, bool graded)
{
    const struct person *p = people_find(all, name);

    if (p == NULL)
        return 0;
    return graded ? p->graded : p->places - p->graded;
}

void
person_has_used(struct person *p, double ms, uint64_t now_ns)
{
    person_forget_old(p, now_ns);
    p->used_ms[p->minute % USE_MINUTES] += ms;
}

double
person_use_ms(struct person *p, uint64_t now_ns)
{
    double sum = 0;

    person_forget_old(p, now_ns);
    for (int i = 0; i < USE_MINUTES; i++)
        sum += p->used_ms[i];
    return sum;
}

struct people *
people_new(void)
{
    return xcalloc(1, sizeof(struct people));
}

void
people_free(struct people *all)
{
    for (int i = 0; all != NULL && i < BUCKETS; i++)
        for (struct person *p = all->bucket[i], *next; p != NULL; p = next) {
            next = p->next;
            free(p->name);
            free(p);
        }
    free(all);
}
