#include "reply.h"

#include "base/utf8.h"
#include "gpu.h"

#include <math.h>
#include <string.h>

#define COUNT_MAX ((uint64_t)1 << 53) /* what a double holds exactly */
#define NS_MAX 1e18                   /* thirty years */

static void
reply_clean_text(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    utf8_clean_copy(text, size, text);
}

/* A stranger's bool may hold any byte, and to read it as a bool would be undefined. */
static bool
reply_is_bool(const bool *b)
{
    unsigned char byte;

    memcpy(&byte, b, 1);
    return byte <= 1;
}

/* Is it a time? What rounding has left below zero becomes zero. */
static bool
reply_is_time(double *ns)
{
    if (*ns < 0 && *ns > -1)
        *ns = 0;
    return *ns >= 0 && *ns <= NS_MAX;
}

static bool
reply_is_fault(struct fault *f)
{
    if ((unsigned)f->kind > FAULT_PROCESS_MEMORY || !reply_is_bool(&f->is_write) ||
        !reply_is_bool(&f->other_is_write))
        return false;
    reply_clean_text(f->kernel, sizeof f->kernel);
    reply_clean_text(f->space, sizeof f->space);
    reply_clean_text(f->file, sizeof f->file);
    reply_clean_text(f->text, sizeof f->text);
    reply_clean_text(f->other_file, sizeof f->other_file);
    f->line = f->line > 0 ? f->line : 0;
    f->other_line = f->other_line > 0 ? f->other_line : 0;
    return true;
}

/* Every member of struct counters but the two times is a count, and they come first. */
static bool
reply_is_counters(struct counters *c)
{
    enum { COUNTS = offsetof(struct counters, modelled_ns) / sizeof(uint64_t) };
    uint64_t count[COUNTS];

    _Static_assert(sizeof(struct counters) ==
                       COUNTS * sizeof(uint64_t) + 2 * sizeof(double),
                   "counts, then two times");
    memcpy(count, c, sizeof count);
    for (size_t i = 0; i < COUNTS; i++)
        if (count[i] > COUNT_MAX)
            return false;
    return reply_is_time(&c->modelled_ns) && reply_is_time(&c->host_ns);
}

static bool
reply_is_cost(struct kernel_cost *k)
{
    if (k->blocks > COUNT_MAX || k->warps > COUNT_MAX || !reply_is_time(&k->ns) ||
        !reply_is_time(&k->launch_ns) || !reply_is_counters(&k->counters) ||
        k->line_count > COST_LINES)
        return false;
    for (int i = 0; i < COST_BOUND_COUNT; i++)
        if (!reply_is_time(&k->bound_ns[i]))
            return false;
    reply_clean_text(k->name, sizeof k->name);
    for (uint32_t i = 0; i < k->line_count; i++) {
        struct line_cost *line = &k->line[i];

        if (!reply_is_time(&line->ns) || !reply_is_counters(&line->counters))
            return false;
        reply_clean_text(line->file, sizeof line->file);
        line->line = line->line > 0 ? line->line : 0;
    }
    return true;
}

static bool
reply_is_sound(enum gpu_control_op op, struct gpu_control_reply *reply)
{
    switch (op) {
    case CONTROL_IMPORT:
        return reply->address != 0;
    case CONTROL_COUNTERS:
        return reply_is_counters(&reply->counters);
    case CONTROL_FAULT:
        return reply_is_fault(&reply->fault);
    case CONTROL_NOTICE:
        return reply->address == 0 || reply_is_fault(&reply->fault);
    case CONTROL_COST:
        return reply->address == 0 || reply_is_cost(&reply->cost);
    default: /* nothing of the reply but its result is looked at */
        return true;
    }
}

int
reply_check(enum gpu_control_op op, struct gpu_control_reply *reply)
{
    if (reply->result == GPU_NO_MEMORY)
        return GPU_NO_MEMORY;
    return reply->result == 0 && reply_is_sound(op, reply) ? 0 : -1;
}
