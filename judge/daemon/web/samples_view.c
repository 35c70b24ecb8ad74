#include "daemon/web/samples_view.h"

#include "base/report.h"

#include <math.h>
#include <stdlib.h>

/* In units of the drawing, which a browser scales. */
#define WIDTH 360.0
#define HEIGHT 120.0
#define TOP 18.0 /* of the bars; the median's name stands above them */
#define GAP 1.0

#define SAMPLES_LEAST 3
#define BINS_MAX 24
/* What is farther from the quartiles than this many times their distance is counted, and
 * not drawn: one call that was disturbed would press all others into one bar. */
#define FAR_QUARTILES 6

struct samples {
    double *ns; /* in ascending order; owned */
    int count;
    double low_ns, high_ns; /* the ends of the axis */
    int bin[BINS_MAX], bin_count, most;
    int beyond; /* how many lie outside of the axis */
};

/* --- counting ----------------------------------------------------------- */

static int
samples_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void
samples_take(struct samples *s, const cJSON *list)
{
    const cJSON *item;

    s->ns = xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *s->ns);
    cJSON_ArrayForEach(item, list) if (cJSON_IsNumber(item) && item->valuedouble >= 0)
        s->ns[s->count++] = item->valuedouble;
    qsort(s->ns, (size_t)s->count, sizeof *s->ns, samples_compare);
}

/* Lets the axis reach from the first to the last sample that is not far away. */
static void
samples_choose_axis(struct samples *s, double q1_ns, double q3_ns)
{
    const double far = FAR_QUARTILES * (q3_ns - q1_ns);
    int first = 0, last = s->count - 1;

    while (far > 0 && first < last && s->ns[first] < q1_ns - far)
        first++;
    while (far > 0 && last > first && s->ns[last] > q3_ns + far)
        last--;
    s->low_ns = s->ns[first];
    s->high_ns = s->ns[last];
    s->beyond = first + s->count - 1 - last;
}

static void
samples_fill_bins(struct samples *s)
{
    s->bin_count = (int)fmin(BINS_MAX, ceil(2 * sqrt(s->count)));
    for (int i = 0; i < s->count; i++) {
        const double part = (s->ns[i] - s->low_ns) / (s->high_ns - s->low_ns);
        const int bin = (int)fmin(part * s->bin_count, s->bin_count - 1);

        if (part < 0 || part > 1)
            continue;
        s->bin[bin]++;
        if (s->bin[bin] > s->most)
            s->most = s->bin[bin];
    }
}

/* --- drawing ------------------------------------------------------------ */

static double
samples_at(const struct samples *s, double ns)
{
    const double x = WIDTH * (ns - s->low_ns) / (s->high_ns - s->low_ns);

    return fmin(fmax(x, 0), WIDTH);
}

static void
samples_bars(struct html *h, const struct samples *s)
{
    const double width = WIDTH / s->bin_count;
    const double step_ns = (s->high_ns - s->low_ns) / s->bin_count;

    for (int i = 0; i < s->bin_count; i++) {
        const double height = (HEIGHT - TOP) * s->bin[i] / s->most;

        if (s->bin[i] == 0)
            continue;
        html(h, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>",
             i * width, HEIGHT - height, width - GAP, height);
        html_plural(h, s->bin[i], "call");
        html(h, ", ");
        html_time(h, s->low_ns + i * step_ns);
        html(h, " to ");
        html_time(h, s->low_ns + (i + 1) * step_ns);
        html(h, "</title></rect>");
    }
}

static void
samples_median(struct html *h, const struct samples *s, double median_ns)
{
    const double x = samples_at(s, median_ns);

    html(h,
         "<g class=\"mark own\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"14\" y2=\"%.0f\"/>"
         "<text x=\"%.1f\" y=\"10\" text-anchor=\"%s\">median</text></g>",
         x, x, HEIGHT, x,
         x < WIDTH / 8       ? "start"
         : x > WIDTH * 7 / 8 ? "end"
                             : "middle");
}

static void
samples_draw(struct html *h, const cJSON *sub, const struct samples *s)
{
    const double from = samples_at(s, value_number(sub, "low_ns"));
    const double to = samples_at(s, value_number(sub, "high_ns"));

    html(h,
         "<figure class=\"samples\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-labelledby=\"samples-name samples-words\"><title id=\"samples-name\">"
         "How many timed calls took how long</title><desc id=\"samples-words\">The line "
         "is the median, and the band its interval. The sentences below have the "
         "figures.</desc>",
         WIDTH, HEIGHT);
    samples_bars(h, s);
    if (to > from)
        html(h,
             "<rect class=\"interval\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" "
             "height=\"%.0f\"/>",
             from, TOP, fmax(to - from, 1), HEIGHT - TOP);
    samples_median(h, s, value_number(sub, "time_ns"));
    html(h, "</svg><figcaption><span>");
    html_time(h, s->low_ns);
    html(h, "</span><span class=\"quiet\">time of a call</span><span>");
    html_time(h, s->high_ns);
    html(h, "</span></figcaption></figure>");
}

static void
samples_tell(struct html *h, const cJSON *sub, const struct samples *s)
{
    html(h, "<p>");
    html_plural(h, s->count, "timed call");
    html(h, " took ");
    html_time(h, s->ns[0]);
    html(h, " to ");
    html_time(h, s->ns[s->count - 1]);
    html(h, ", the middle half of them ");
    html_time(h, value_number(sub, "q1_ns"));
    html(h, " to ");
    html_time(h, value_number(sub, "q3_ns"));
    html(h, ". The median is ");
    html_time(h, value_number(sub, "time_ns"));
    html(h, ", and lies within ");
    html_time(h, value_number(sub, "low_ns"));
    html(h, " to ");
    html_time(h, value_number(sub, "high_ns"));
    html(h, " with 95\u00a0%% confidence.");
    if (s->beyond == 1)
        html(h, " One of the calls lies outside of the drawing.");
    else if (s->beyond > 1)
        html(h, " %d of the calls lie outside of the drawing.", s->beyond);
    html(h, "</p>");
}

void
samples_view(struct html *h, const cJSON *sub)
{
    struct samples s = {0};

    samples_take(&s, value_at(sub, "samples_ns"));
    if (s.count >= SAMPLES_LEAST && value_number(sub, "time_ns") > 0) {
        samples_choose_axis(&s, value_number(sub, "q1_ns"), value_number(sub, "q3_ns"));
        if (s.high_ns > s.low_ns) {
            samples_fill_bins(&s);
            html(h, "<section aria-labelledby=\"samples\"><h2 id=\"samples\">Timed calls"
                    "</h2>");
            samples_draw(h, sub, &s);
            samples_tell(h, sub, &s);
            html(h, "</section>");
        }
    }
    free(s.ns);
}
