#include "daemon/web/histogram.h"

#include <math.h>

/* In units of the drawing, which a browser scales. */
#define WIDTH 720.0
#define HEIGHT 120.0
#define GAP 2.0

/* The axis, which is logarithmic as the histogram's bins are. */
struct axis {
    double low, high;
};

static double
axis_at(const struct axis *a, double ns)
{
    const double span = log(a->high / a->low);

    return span > 0 ? WIDTH * log(ns / a->low) / span : WIDTH / 2;
}

static void
histogram_mark(struct html *h, const struct axis *a, double ns, const char *class,
               const char *name)
{
    const double x = axis_at(a, ns);

    if (!(x >= 0 && x <= WIDTH))
        return;
    html(h,
         "<g class=\"mark %s\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"14\" y2=\"%.0f\"/>"
         "<text x=\"%.1f\" y=\"10\" text-anchor=\"%s\">%s</text></g>",
         class, x, x, HEIGHT, x,
         x < WIDTH / 8       ? "start"
         : x > WIDTH * 7 / 8 ? "end"
                             : "middle",
         name);
}

static void
histogram_bars(struct html *h, const struct axis *a, const cJSON *bins, double most)
{
    const cJSON *bin;

    cJSON_ArrayForEach(bin, bins)
    {
        const double count = value_number(bin, "count");
        const double from = axis_at(a, value_number(bin, "from_ns"));
        const double to = axis_at(a, value_number(bin, "to_ns"));
        const double height = (HEIGHT - 20) * count / most;

        if (!(count > 0) || !(from >= 0) || !(to >= from))
            continue;
        html(h, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
             from, HEIGHT - height, fmax(to - from - GAP, 3), height);
        html_plural(h, (long long)count, "user");
        html(h, ", ");
        html_time(h, value_number(bin, "from_ns"));
        html(h, " to ");
        html_time(h, value_number(bin, "to_ns"));
        html(h, "</title></rect>");
    }
}

void
histogram_draw(struct html *h, const cJSON *board, double own_ns)
{
    const cJSON *bins = value_at(board, "histogram"), *bin, *item;
    struct axis a = {INFINITY, 0};
    double most = 0;

    cJSON_ArrayForEach(bin, bins)
    {
        a.low = fmin(a.low, value_number(bin, "from_ns"));
        a.high = fmax(a.high, value_number(bin, "to_ns"));
        most = fmax(most, value_number(bin, "count"));
    }
    if (!(a.low > 0) || !(a.high > a.low) || !(most > 0) || cJSON_GetArraySize(bins) < 3)
        return;
    html(h,
         "<figure class=\"histogram\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-label=\"How many users have which time\">",
         WIDTH, HEIGHT);
    histogram_bars(h, &a, bins, most);
    cJSON_ArrayForEach(item, value_at(value_at(board, "house"), "marks"))
        histogram_mark(h, &a, value_number(item, "time_ns"), "house", "step");
    cJSON_ArrayForEach(item, value_at(board, "baselines")) histogram_mark(
        h, &a, value_number(item, "time_ns"), "baseline", value_text(item, "name"));
    histogram_mark(h, &a, own_ns, "own", "you");
    html(h, "</svg><figcaption><span>");
    html_time(h, a.low);
    html(h, "</span><span class=\"quiet\">time, the faster on the left</span><span>");
    html_time(h, a.high);
    html(h, "</span></figcaption></figure>");
}
