/* Prints a profile for people. Each part of the report is left out where its numbers are
 * not there. */
#include "cli/profile_report.h"

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/kernel_costs.h"
#include "cli/text.h"
#include "emulator/emulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_LEAST = 80, WIDTH_MOST = 120, BAR_WIDTH = 20, WHAT_WIDTH = 26 };

/* A line with a smaller share of the cost gets no sentence. */
#define SHARE_EXPLAINED 0.01

static double
share_of(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* A count in three digits, such as 125 k or 3.75 M; small ones are exact. */
static const char *
format_amount(struct text32 *out, double n)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    struct text32 digits;
    size_t unit = 0;

    if (n < 10000) {
        snprintf(out->s, sizeof out->s, "%.0f", n);
        return out->s;
    }
    for (; n >= 999.5 && unit + 1 < sizeof units / sizeof *units; n /= 1000)
        unit++;
    snprintf(out->s, sizeof out->s, "%.10s%s", format_rate(&digits, n), units[unit]);
    return out->s;
}

static void
print_heading(const struct terminal *t, const char *text)
{
    terminal_print(t, STYLE_BOLD, "\n  %s\n", text);
}

/* --- what bounds a kernel ------------------------------------------------- */

struct bound_row {
    double ns;
    const char *words;
};

static int
by_time(const void *left, const void *right)
{
    const struct bound_row *a = left, *b = right;

    return (a->ns < b->ns) - (a->ns > b->ns);
}

/* Prints how long each unit would have taken alone, the slowest first. */
static void
print_bounds(const struct terminal *t, const cJSON *kernel)
{
    static const struct {
        const char *name, *words;
    } known[] = {
#define X(id, words) {#id, words},
        COST_BOUNDS(X)
#undef X
    };
    const cJSON *bounds = cJSON_GetObjectItemCaseSensitive(kernel, "bounds_ns");
    const double work = answer_number(kernel, "ns") - answer_number(kernel, "launch_ns");
    struct bound_row row[COST_BOUND_COUNT];
    size_t count = 0;

    for (size_t i = 0; i < COST_BOUND_COUNT; i++) {
        const double ns = answer_number(bounds, known[i].name);

        if (ns > 0)
            row[count++] = (struct bound_row){ns, known[i].words};
    }
    if (count == 0)
        return;
    qsort(row, count, sizeof *row, by_time);
    print_heading(t, "speed of light: the time that each alone would take");
    for (size_t i = 0; i < count; i++) {
        const double share = share_of(row[i].ns, work);
        struct buf bar = {0};
        struct text32 time;

        format_bar(&bar, share, BAR_WIDTH, t->utf8);
        terminal_print(t, i == 0 ? STYLE_BOLD : STYLE_PLAIN,
                       "    %-44s %8s %4.0f %%  %s\n", row[i].words,
                       format_time(&time, row[i].ns, t->utf8), share * 100,
                       buf_str(&bar));
        buf_free(&bar);
    }
}

/* --- occupancy ------------------------------------------------------------ */

static void
print_limit(const struct terminal *t, const cJSON *kernel, const char *name,
            const char *label, const char *what)
{
    const cJSON *o = cJSON_GetObjectItemCaseSensitive(kernel, "occupancy");
    const cJSON *limits = cJSON_GetObjectItemCaseSensitive(o, "limits");
    const double blocks = answer_number(limits, name);

    if (isnan(blocks))
        return;
    terminal_print(t, STYLE_PLAIN, "    %-14s %3.0f blocks an SM  %s", label, blocks,
                   what);
    if (blocks <= answer_number(o, "blocks"))
        terminal_print(t, STYLE_WARN, "%*s  <- the limit", WHAT_WIDTH - (int)strlen(what),
                       "");
    terminal_print(t, STYLE_PLAIN, "\n");
}

static void
print_occupancy(const struct terminal *t, const cJSON *kernel)
{
    const cJSON *o = cJSON_GetObjectItemCaseSensitive(kernel, "occupancy");
    const double warps = answer_number(o, "warps"), of = answer_number(o, "warps_of_sm");
    const double achieved = answer_number(o, "achieved_warps");
    char what[64];

    if (!(of > 0))
        return;
    terminal_print(t, STYLE_BOLD, "\n  occupancy");
    terminal_print(t, STYLE_PLAIN, ": %.0f of %.0f warps an SM, %.0f %%", warps, of,
                   share_of(warps, of) * 100);
    if (achieved > 0)
        terminal_print(t, STYLE_PLAIN, "; %.1f were there on average", achieved);
    terminal_print(t, STYLE_PLAIN, "\n");
    snprintf(what, sizeof what, "of %ld threads",
             answer_count(kernel, "threads_per_block"));
    print_limit(t, kernel, "threads", "threads", what);
    snprintf(what, sizeof what, "%ld a thread", answer_count(kernel, "registers"));
    print_limit(t, kernel, "registers", "registers", what);
    snprintf(what, sizeof what, "%ld bytes a block",
             answer_count(kernel, "shared_bytes"));
    print_limit(t, kernel, "shared_memory", "shared memory", what);
    print_limit(t, kernel, "blocks", "blocks", "the most that an SM takes");
}

/* --- memory and warps ----------------------------------------------------- */

/* Prints requests, and a second count per request beside what it would ideally be. */
static void
print_requests(const struct terminal *t, const char *label, double requests, double parts,
               double ideal, const char *unit)
{
    struct text32 number, text;

    if (!(requests > 0))
        return;
    terminal_print(t, STYLE_PLAIN, "    %-14s %9s requests  %9s %-10s %6.2f a request",
                   label, format_amount(&number, requests), format_amount(&text, parts),
                   unit, parts / requests);
    if (ideal > 0)
        terminal_print(t, parts > 1.5 * ideal ? STYLE_WARN : STYLE_PLAIN,
                       ", where %.2f would do", ideal / requests);
    terminal_print(t, STYLE_PLAIN, "\n");
}

/* Sectors that so many bytes need where nothing is wasted. */
static double
sectors_needed(const cJSON *o)
{
    const double bytes =
        answer_number(o, "global_load_bytes") + answer_number(o, "global_store_bytes");
    const double requests = answer_number(o, "global_requests");

    return bytes / 32 > requests ? bytes / 32 : requests;
}

static void
print_memory(const struct terminal *t, const cJSON *k)
{
    const double sectors = answer_number(k, "global_sectors");
    const double missed = answer_number(k, "l1_missed_sectors");
    const double l2_sectors = answer_number(k, "l2_sectors");
    const double l2_missed = answer_number(k, "l2_missed_sectors");
    const double atomics = answer_number(k, "atomic_requests");
    struct text32 text;

    if (!(answer_number(k, "global_requests") > 0) &&
        !(answer_number(k, "shared_requests") > 0))
        return;
    print_heading(t, "memory");
    print_requests(t, "global", answer_number(k, "global_requests"), sectors,
                   sectors_needed(k), "sectors");
    print_requests(t, "shared", answer_number(k, "shared_requests"),
                   answer_number(k, "shared_wavefronts"),
                   answer_number(k, "shared_ideal"), "wavefronts");
    print_requests(t, "atomics", atomics, answer_number(k, "atomic_sectors"), 0,
                   "sectors");
    if (answer_number(k, "atomic_serial") > 0)
        terminal_print(t, STYLE_PLAIN, "    %-14s %9.1f lanes of a warp on one address\n",
                       "", answer_number(k, "atomic_serial") / atomics);
    if (sectors > 0 && missed >= 0)
        terminal_print(
            t, STYLE_PLAIN, "    %-14s %9s bytes moved, %.0f %% of the sectors hit L1\n",
            "from L2", format_amount(&text, missed * 32),
            100 * (1 - share_of(missed < sectors ? missed : sectors, sectors)));
    if (l2_sectors > 0)
        terminal_print(t, STYLE_PLAIN,
                       "    %-14s %9s bytes moved, %.0f %% of the sectors hit L2\n",
                       "from memory", format_amount(&text, l2_missed * 32),
                       100 * (1 - share_of(l2_missed, l2_sectors)));
}

static void
print_warps(const struct terminal *t, const cJSON *k)
{
    const double warp = answer_number(k, "warp_instructions");
    const cJSON *states = cJSON_GetObjectItemCaseSensitive(k, "warp_states"), *state;
    struct text32 text;

    if (!(warp > 0))
        return;
    print_heading(t, "warps");
    terminal_print(t, STYLE_PLAIN,
                   "    %-14s %9s of warps, %.1f of 32 lanes active on average\n",
                   "instructions", format_amount(&text, warp),
                   answer_number(k, "thread_instructions") / warp);
    if (answer_number(k, "divergent_branches") >= 0)
        terminal_print(t, STYLE_PLAIN, "    %-14s %9s divergent branches\n", "branches",
                       format_amount(&text, answer_number(k, "divergent_branches")));
    if (answer_number(k, "barriers") > 0)
        terminal_print(t, STYLE_PLAIN, "    %-14s %9s arrivals of warps\n", "barriers",
                       format_amount(&text, answer_number(k, "barriers")));
    if (answer_number(k, "path_loads") >= 0 && answer_number(k, "warps") > 0)
        terminal_print(
            t, STYLE_PLAIN,
            "    %-14s %9.1f loads of memory one after the other, for each warp\n",
            "waits", answer_number(k, "path_loads") / answer_number(k, "warps"));
    cJSON_ArrayForEach(state,
                       states) if (cJSON_IsNumber(state) && state->valuedouble >= 0.005)
        terminal_print(t, STYLE_PLAIN, "    %-14s %9.2f cycles an instruction: %s\n",
                       "state", state->valuedouble, state->string);
}

/* --- lines ---------------------------------------------------------------- */

/* A quotient in 7 columns, blank where there is nothing to divide. */
static void
print_quotient(const struct terminal *t, double a, double b)
{
    if (b > 0 && a >= 0)
        terminal_print(t, STYLE_PLAIN, " %7.2f", a / b);
    else
        terminal_print(t, STYLE_PLAIN, " %7s", "");
}

static void
print_line(const struct terminal *t, const cJSON *line, int width)
{
    enum { BEFORE_PLACE = 56, WHY_INDENT = 11 };
    const double share = answer_number(line, "share");
    const double warp = answer_number(line, "warp_instructions");
    const char *file = answer_string(line, "file");
    char place[160];
    struct text32 time, amount;
    int room;

    if (file[0] != '\0')
        snprintf(place, sizeof place, "%s:%ld", file, answer_count(line, "line"));
    else
        snprintf(place, sizeof place, "(no line is known)");
    terminal_print(t, STYLE_PLAIN, "    %4.0f %% %9s %9s", share * 100,
                   format_time(&time, answer_number(line, "ns"), t->utf8),
                   format_amount(&amount, warp > 0 ? warp : 0));
    print_quotient(t, answer_number(line, "thread_instructions"), warp);
    print_quotient(t, answer_number(line, "global_sectors"),
                   answer_number(line, "global_requests"));
    print_quotient(t, answer_number(line, "shared_wavefronts"),
                   answer_number(line, "shared_ideal"));
    room = width - BEFORE_PLACE - 2 - text_width(place);
    terminal_print(t, STYLE_PLAIN, "  %s", place);
    if (room > 0)
        terminal_print(t, STYLE_BOLD, "  %.*s", room, answer_string(line, "text"));
    terminal_print(t, STYLE_PLAIN, "\n");
    if (share >= SHARE_EXPLAINED && answer_string(line, "why")[0] != '\0') {
        terminal_print(t, STYLE_DIM, "%*s", WHY_INDENT, "");
        kernel_costs_print_why(t, STYLE_DIM, line, WHY_INDENT, width);
    }
}

static void
print_lines(const struct terminal *t, const cJSON *kernel, int width)
{
    const cJSON *lines = answer_array(kernel, "lines"), *line;
    const long left = answer_count(kernel, "lines_left");

    if (cJSON_GetArraySize(lines) == 0)
        return;
    print_heading(t, "source lines");
    terminal_print(t, STYLE_DIM,
                   "     share      time  of warps   lanes sectors    ways\n");
    cJSON_ArrayForEach(line, lines) print_line(t, line, width);
    if (left > 0)
        terminal_print(t, STYLE_DIM, "    and %ld more\n", left);
}

/* --- compute-sanitizer ---------------------------------------------------- */

static void
print_sanitizers(const struct terminal *t, const cJSON *costs, const char *device)
{
    const cJSON *tool;

    terminal_print(t, STYLE_BOLD, "\ncompute-sanitizer");
    terminal_print(t, STYLE_PLAIN, "  of one call at %s on %s\n\n",
                   answer_string(costs, "sizes"), device);
    cJSON_ArrayForEach(tool, answer_array(costs, "sanitizers"))
    {
        const char *failed = answer_string(tool, "failed");
        const long errors = answer_count(tool, "errors");

        terminal_print(t, STYLE_PLAIN, "    %-10s ", answer_string(tool, "tool"));
        if (failed[0] != '\0')
            terminal_print(t, STYLE_WARN, "%s\n", failed);
        else if (errors == 0)
            terminal_print(t, STYLE_GOOD, "found nothing\n");
        else
            terminal_print(t, STYLE_BAD, "%ld %s\n", errors,
                           errors == 1 ? "error" : "errors");
    }
}

/* --- all of it ------------------------------------------------------------ */

static void
print_kernel(const struct terminal *t, const cJSON *k, double all_ns, int width)
{
    const double ns = answer_number(k, "ns");
    const long launches = answer_count(k, "launches");
    struct text32 time, blocks;

    terminal_print(t, STYLE_BOLD, "\nkernel %s", answer_string(k, "name"));
    terminal_print(t, STYLE_PLAIN, "  %s, %.0f %% of all kernels\n",
                   format_time(&time, ns, t->utf8), share_of(ns, all_ns) * 100);
    terminal_print(t, STYLE_PLAIN, "  %ld %s of %s blocks in all, of %ld threads each\n",
                   launches, launches == 1 ? "launch" : "launches",
                   format_amount(&blocks, answer_number(k, "blocks")),
                   answer_count(k, "threads_per_block"));
    if (answer_string(k, "why")[0] != '\0') {
        terminal_print(t, STYLE_PLAIN, "  ");
        kernel_costs_print_why(t, STYLE_PLAIN, k, 2, width);
    }
    print_bounds(t, k);
    print_occupancy(t, k);
    print_memory(t, k);
    print_warps(t, k);
    print_lines(t, k, width);
}

void
profile_report_print(const struct terminal *t, const cJSON *submission)
{
    const cJSON *costs = kernel_costs_of(submission), *kernel;
    const cJSON *kernels = answer_array(costs, "kernels");
    const char *measured = answer_string(costs, "measured_by");
    const int width = t->width < WIDTH_LEAST  ? WIDTH_LEAST
                      : t->width > WIDTH_MOST ? WIDTH_MOST
                                              : t->width;
    double all_ns = 0;

    if (kernel_costs_print_failed(t, costs) || !cJSON_IsObject(costs))
        return;
    if (answer_array(costs, "sanitizers") != NULL) {
        print_sanitizers(t, costs, answer_string(submission, "device"));
        return;
    }
    terminal_print(t, STYLE_BOLD, "\nprofile");
    terminal_print(t, STYLE_PLAIN, "  of one call at %s", answer_string(costs, "sizes"));
    if (measured[0] != '\0')
        terminal_print(t, STYLE_DIM, "  measured by %s on %s, the clocks as they were\n",
                       measured, answer_string(submission, "device"));
    else
        terminal_print(t, STYLE_DIM, "  modelled on %s, not measured\n",
                       answer_string(submission, "device"));
    if (cJSON_GetArraySize(kernels) == 0)
        terminal_print(t, STYLE_PLAIN, "\nno kernel was launched\n");
    cJSON_ArrayForEach(kernel, kernels) all_ns += answer_number(kernel, "ns");
    cJSON_ArrayForEach(kernel, kernels) print_kernel(t, kernel, all_ns, width);
}
