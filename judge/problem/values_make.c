/*
 * Makes inputs on the host, a whole buffer at a time. Elements are checked against the
 * buffer's type and stored. Where elements depend on their place only, several threads
 * make them.
 *
 * A formula may read other inputs. Those are made first and kept while it is evaluated.
 * problem_verify() has made sure that no input reads itself.
 */
#include "base/buf.h"
#include "problem/values_source.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 16
#define PARALLEL_MIN ((uint64_t)1 << 18) /* elements worth starting threads for */

/* A part of a buffer, which one thread makes: elements s->next .. end - 1. */
struct part {
    struct values_source *s;
    uint64_t end;
    void *dst;
    pthread_t thread;
    enum dtype type;
    int rc;
    bool negate, has_thread;
    struct report report;
};

static void
make_part(struct part *p)
{
    for (uint64_t i = values_source_at(p->s); i < p->end; i++) {
        double value = 0;

        p->rc = values_source_next(p->s, &value, &p->report);
        if (p->rc == 0)
            p->rc = values_fit(p->type, p->negate ? -value : value, &p->report);
        else
            i = values_source_at(p->s);
        if (p->rc != 0) {
            report_prefix(&p->report, "element %llu", (unsigned long long)i);
            return;
        }
        gen_put((uint8_t)p->type, p->negate ? -value : value, p->dst, i);
    }
}

static void *
run_part(void *part)
{
    make_part(part);
    return NULL;
}

/* Waits for all parts. Where several failed, the first of them reports why. */
static int
values_join_parts(struct part *part, int count, struct report *r)
{
    int rc = 0;

    for (int i = 0; i < count; i++) {
        if (part[i].has_thread)
            pthread_join(part[i].thread, NULL);
        else
            make_part(&part[i]);
        if (part[i].rc != 0 && rc == 0) {
            rc = -1;
            *r = part[i].report;
        }
        values_source_free(part[i].s);
    }
    return rc;
}

struct reading {
    struct maker *m;
    int rc;
    struct report *report;
};

static void
read_ahead(void *context, int param)
{
    struct reading *reading = context;

    if (reading->rc == 0)
        reading->rc = values_make_read(reading->m, param, reading->report);
}

/* How many parts a buffer is made in. The calling thread makes the first one. */
static int
part_count(const struct value_spec *v, const struct extent *extent)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (extent->count < PARALLEL_MIN || !values_source_is_free(v, extent))
        return 1;
    return cpus < 1 ? 1 : cpus < THREADS_MAX ? (int)cpus : THREADS_MAX;
}

/* Opens and starts the parts. *count says how many were started, also where it fails. */
static int
start_parts(struct maker *m, const struct value_spec *v, const struct extent *extent,
            const struct part *like, uint32_t stream, struct part *part, int *count,
            struct report *r)
{
    const int wanted = part_count(v, extent);
    const uint64_t step = extent->count / (uint64_t)wanted;
    struct reading reading = {m, 0, r};

    *count = 0;
    if (wanted > 1)
        expr_visit_buffers(v->formula, read_ahead, &reading);
    for (int i = 0; i < wanted && reading.rc == 0; i++) {
        part[i] = *like;
        part[i].s = values_source_open(m, v, extent, stream, r);
        if (part[i].s == NULL)
            return -1;
        ++*count;
        if (wanted > 1)
            values_source_seek(part[i].s, step * (uint64_t)i);
        part[i].end = i + 1 < wanted ? step * (uint64_t)(i + 1) : extent->count;
        part[i].has_thread =
            i > 0 && pthread_create(&part[i].thread, NULL, run_part, &part[i]) == 0;
    }
    return reading.rc;
}

static int
make_all(struct maker *m, int param, void *dst, struct report *r)
{
    const enum dtype type = m->p->param[param].type;
    bool negate = false;
    int owner = param, rc;
    const struct value_spec *v = values_follow(m->p, m->t, &owner, &negate, r);
    const struct part like = {.type = type, .negate = negate, .dst = dst};
    struct extent extent, source;
    struct report unused = {0};
    struct part part[THREADS_MAX];
    struct gen g;
    int count;

    if (v == NULL || problem_extent(m->p, m->t, param, &extent, r) != 0)
        return -1;
    if (v->kind == VALUES_FILE && v->rest == NULL) {
        memset(dst, 0, extent.bytes);
        return 0;
    }
    if (v->kind == VALUES_FILE)
        v = v->rest;
    if (problem_extent(m->p, m->t, owner, &source, r) != 0)
        return -1;
    if (values_is_gen(v, &extent)) {
        if (values_gen(v, m->t, type, values_gen_shape(v, &extent, &source), negate, &g,
                       r) != 0)
            return -1;
        g.stream = (uint32_t)owner;
        gen_fill(&g, m->seed, 0, extent.count, dst);
        return 0;
    }
    /* An input that is "the same" has the numbers of its owner, in the owner's shape. */
    rc = start_parts(m, v, &source, &like, (uint32_t)owner, part, &count, r);
    return values_join_parts(part, count, rc == 0 ? r : &unused) == 0 ? rc : -1;
}

int
values_make_read(struct maker *m, int param, struct report *r)
{
    struct extent extent;

    if (m->made[param] != NULL)
        return 0;
    if (problem_extent(m->p, m->t, param, &extent, r) != 0)
        return -1;
    m->made[param] = xcalloc(extent.count, dtype_size(m->p->param[param].type));
    m->count[param] = extent.count;
    return make_all(m, param, m->made[param], r);
}

int
values_make(const struct problem *p, const struct test_case *t, int param, uint64_t seed,
            void *dst, struct report *r)
{
    struct maker m = {.p = p, .t = t, .seed = seed};
    int rc = make_all(&m, param, dst, r);

    for (int i = 0; i < p->param_count; i++)
        free(m.made[i]);
    if (rc != 0)
        report_prefix(r, "the values of %s", p->param[param].name);
    return rc;
}
