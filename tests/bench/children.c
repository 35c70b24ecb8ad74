/*
 * How long the start of a child holds the event loop, in a daemon that is large.
 *
 * usage: children [MIB [CHILDREN]]
 *
 * Starts so many children, one after another, beside a heap of so many MiB that is in
 * use. Prints the median, the 99th percentile and the longest of a start, in CPU time of
 * the loop's thread and in wall time.
 */
#include "base/buf.h"
#include "base/report.h"
#include "daemon/child.h"
#include "daemon/loop_watch.h"

#include <event2/event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK_BYTES 8192 /* as much as malloc takes from its heap, and not by mmap */

static uint64_t
wall_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int
compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void
times_print(uint64_t *ns, size_t count, const char *what)
{
    qsort(ns, count, sizeof *ns, compare_u64);
    printf("  %-10s median %7.3f ms, p99 %7.3f ms, longest %7.3f ms\n", what,
           (double)ns[count / 2] / 1e6, (double)ns[count * 99 / 100] / 1e6,
           (double)ns[count - 1] / 1e6);
}

static void
on_line(void *arg, const char *line)
{
    (void)arg;
    (void)line;
}

static void
on_ended(void *arg, const struct child_end *end)
{
    if (end->signaled || end->code != 0)
        die(4, "a child of the benchmark failed");
    event_base_loopbreak(arg);
}

int
main(int argc, char **argv)
{
    const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
    const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 200;
    const size_t blocks = mib * 1024 * 1024 / BLOCK_BYTES;
    const char *const child_argv[] = {"/bin/true", NULL};
    struct event_base *base = event_base_new();
    struct children *all = children_new(base);
    const struct child_spec spec = {.name = "benchmark",
                                    .argv = child_argv,
                                    .line = on_line,
                                    .ended = on_ended,
                                    .arg = base};
    char **heap = xcalloc(blocks + 1, sizeof *heap);
    uint64_t *cpu = xcalloc(count + 1, sizeof *cpu);
    uint64_t *wall = xcalloc(count + 1, sizeof *wall);

    if (count == 0)
        die(2, "usage: children [MIB [CHILDREN]]");
    for (size_t i = 0; i < blocks; i++)
        heap[i] = memset(xcalloc(1, BLOCK_BYTES), 1, BLOCK_BYTES);
    for (size_t i = 0; i < count; i++) {
        const uint64_t cpu_begin = loop_cpu_ns(), wall_begin = wall_ns();
        struct child *child;
        struct report r = {0};

        if (child_start(all, &spec, &child, &r) != 0)
            die(4, "%s", r.text);
        cpu[i] = loop_cpu_ns() - cpu_begin;
        wall[i] = wall_ns() - wall_begin;
        event_base_dispatch(base);
    }
    printf("the start of %zu children beside %zu MiB of heap\n", count, mib);
    times_print(cpu, count, "CPU time");
    times_print(wall, count, "wall time");
    for (size_t i = 0; i < blocks; i++)
        free(heap[i]);
    free(heap);
    free(cpu);
    free(wall);
    children_free(all);
    event_base_free(base);
    return 0;
}
