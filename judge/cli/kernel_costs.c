/* Prints the costs of kernels and of their lines for people. */
#include "cli/kernel_costs.h"

#include "cli/answer.h"
#include "cli/format.h"
#include "cli/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { KERNELS_SHOWN = 3, LINES_SHOWN = 3, WHY_INDENT = 10 };

/* A line with a smaller share of the cost is not shown, unless it is the first. */
#define SHARE_SHOWN 0.05

const cJSON *
kernel_costs_of(const cJSON *submission)
{
    return cJSON_GetObjectItemCaseSensitive(submission, "counters");
}

/* Prints the place of a line, such as "vec.cu:7", and its text. */
static void
kernel_costs_print_place(const struct terminal *t, const cJSON *line)
{
    if (answer_string(line, "file")[0] == '\0')
        terminal_print(t, STYLE_PLAIN, "(no line is known)");
    else
        terminal_print(t, STYLE_PLAIN, "%s:%ld", answer_string(line, "file"),
                       answer_count(line, "line"));
    terminal_print(t, STYLE_BOLD, "  %s", answer_string(line, "text"));
}

void
kernel_costs_print_why(const struct terminal *t, enum style style, const cJSON *cost,
                       int indent, int width)
{
    const char *why = answer_string(cost, "why"), *topic = answer_string(cost, "topic");
    const int columns =
        indent + text_width(why) + text_width(" (explain )") + text_width(topic);

    terminal_print(t, style, "%s", why);
    if (topic[0] != '\0' && columns > width)
        terminal_print(t, STYLE_DIM, "\n%*s(explain %s)", indent, "", topic);
    else if (topic[0] != '\0')
        terminal_print(t, STYLE_DIM, " (explain %s)", topic);
    terminal_print(t, style, "\n");
}

/* Prints a kernel of `calls` calls: the time of one call, and its costliest lines. */
static void
kernel_costs_print_kernel(const struct terminal *t, const cJSON *k, long calls)
{
    const cJSON *line;
    long launches = answer_count(k, "launches");
    int shown = 0;
    struct text32 text;

    terminal_print(t, STYLE_BOLD, "  %s  ", answer_string(k, "name"));
    terminal_print(t, STYLE_PLAIN, "%s",
                   format_time(&text, answer_number(k, "ns") / (double)calls, t->utf8));
    if (launches % calls != 0)
        terminal_print(t, STYLE_PLAIN, " a call, in %ld launches of %ld calls", launches,
                       calls);
    else if (launches != calls)
        terminal_print(t, STYLE_PLAIN, " in %ld launches", launches / calls);
    terminal_print(t, STYLE_PLAIN, ", ");
    kernel_costs_print_why(t, STYLE_PLAIN, k, 0, INT_MAX);
    cJSON_ArrayForEach(line, answer_array(k, "lines"))
    {
        double share = answer_number(line, "share");

        if (shown == LINES_SHOWN || isnan(share) || (shown > 0 && share < SHARE_SHOWN))
            break;
        shown++;
        terminal_print(t, STYLE_PLAIN, "  %4.0f %%  ", share * 100);
        kernel_costs_print_place(t, line);
        terminal_print(t, STYLE_PLAIN, "\n%*s", WHY_INDENT, "");
        kernel_costs_print_why(t, STYLE_PLAIN, line, WHY_INDENT, INT_MAX);
    }
}

static void
kernel_costs_print_kernels(const struct terminal *t, const cJSON *kernels, long calls)
{
    const cJSON *kernel;
    int shown = 0;

    cJSON_ArrayForEach(kernel, kernels)
    {
        if (shown++ < KERNELS_SHOWN)
            kernel_costs_print_kernel(t, kernel, calls);
    }
}

void
kernel_costs_print_list(const struct terminal *t, const cJSON *kernels)
{
    kernel_costs_print_kernels(t, kernels, 1);
}

bool
kernel_costs_print_failed(const struct terminal *t, const cJSON *costs)
{
    const char *failed = answer_string(costs, "failed");

    if (failed[0] == '\0')
        return false;
    terminal_print(t, STYLE_WARN, "\nno costs: ");
    terminal_print(t, STYLE_PLAIN, "%s\n", failed);
    return true;
}

void
kernel_costs_print(const struct terminal *t, const cJSON *submission)
{
    const cJSON *costs = kernel_costs_of(submission);
    long calls;

    if (!cJSON_IsObject(costs) || kernel_costs_print_failed(t, costs))
        return;
    calls = answer_count(costs, "calls");
    if (cJSON_GetArraySize(answer_array(costs, "kernels")) == 0)
        return;
    terminal_print(t, STYLE_BOLD, "\nwhat it costs");
    terminal_print(t, STYLE_PLAIN, "  at %s", answer_string(costs, "sizes"));
    terminal_print(t, STYLE_DIM, "  modelled on %s, not measured\n",
                   answer_string(submission, "device"));
    kernel_costs_print_kernels(t, answer_array(costs, "kernels"), calls > 0 ? calls : 1);
}
