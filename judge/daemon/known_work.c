/* Takes digests of a problem's starter and right solutions. */
#include "daemon/known_work.h"

#include "daemon/daemon.h"
#include "daemon/specs.h"
#include "daemon/starter.h"

#include <stdlib.h>
#include <string.h>

void
known_work_starter(struct daemon *d, const char *slug, struct digest *out)
{
    struct report r = {0};
    bool exists;
    const struct problem *p = specs_get(d->specs, slug, &exists, &r);
    char *text = p != NULL ? starter_text(p, &r) : NULL;

    *out = (struct digest){0};
    if (text != NULL)
        digest_source(text, strlen(text), out);
    free(text);
}

void
known_work_read(struct daemon *d, const char *slug, struct known_work *out)
{
    struct report r = {0};

    *out = (struct known_work){0};
    known_work_starter(d, slug, &out->starter);
    if (ladder_find_right(specs_dir(d->specs), slug, &out->solutions, &r) != 0)
        out->solutions = (struct ladder){0};
    for (int number = 1; number <= out->solutions.count; number++) {
        struct ladder_step step;

        if (ladder_read(&out->solutions, number, &step, &r) != 0)
            continue;
        digest_source(step.source, strlen(step.source), &out->solution[number - 1]);
        ladder_step_free(&step);
    }
}

void
known_work_free(struct known_work *k)
{
    ladder_free(&k->solutions);
    *k = (struct known_work){0};
}

bool
known_work_is_starter(const struct known_work *k, const char *hex)
{
    return k->starter.size > 0 && strcmp(k->starter.hex, hex) == 0;
}

const char *
known_work_solution(const struct known_work *k, const char *hex)
{
    for (int i = 0; i < k->solutions.count; i++)
        if (k->solution[i].size > 0 && strcmp(k->solution[i].hex, hex) == 0)
            return k->solutions.filename[i];
    return NULL;
}
