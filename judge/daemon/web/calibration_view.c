#include "daemon/web/calibration_view.h"

#include <math.h>
#include <time.h>

/* In units of the drawing, which a browser scales. */
#define WIDTH 360.0
#define HEIGHT 128.0
#define LEFT 46.0 /* of the plot; the shares stand before it */
#define RIGHT 354.0
#define TOP 8.0
#define BOTTOM 108.0 /* the first and the last day stand below it */

/* A day whose mean is farther off is unusual, as one calibration would be
 * (docs/timing.md, "Calibration"). */
#define OFF 0.02
#define SPAN_LEAST 0.04 /* what the plot shows at least, above and below */
#define DAYS_LEAST 7    /* and to the right */

#define DAY_S 86400.0

static const struct figure {
    const char *key, *title, *words, *unit;
} FIGURES[] = {{"copy_gbs", "Copying", "copying", "GB/s"},
               {"read_gbs", "Reading", "reading", "GB/s"},
               {"fp32_tflops", "Arithmetic in fp32", "arithmetic in fp32", "TFLOP/s"}};

#define FIGURE_COUNT (sizeof FIGURES / sizeof *FIGURES)

struct plot {
    double usual, span; /* the plot goes from -span to span of the usual */
    double first, days; /* of the axis, from its first day on */
};

/* --- days ---------------------------------------------------------------- */

/* The number of a day such as "2026-11-20", since 1970. */
static double
calibration_day_number(const cJSON *day)
{
    struct tm tm = {0};

    if (strptime(value_text(day, "day"), "%Y-%m-%d", &tm) == NULL)
        return NAN;
    return (double)timegm(&tm) / DAY_S;
}

static double
calibration_off(const struct plot *p, double value)
{
    return value / p->usual - 1;
}

/* --- the plot ------------------------------------------------------------ */

static double
plot_x(const struct plot *p, double day)
{
    return LEFT + 4 + (RIGHT - LEFT - 8) * (day - p->first) / (p->days - 1);
}

static double
plot_y(const struct plot *p, double off)
{
    const double y = (TOP + BOTTOM) / 2 - (BOTTOM - TOP) / 2 * off / p->span;

    return fmin(fmax(y, TOP), BOTTOM);
}

/* Chooses the axes so that all of it is in them. */
static void
plot_choose(struct plot *p, const cJSON *days, const char *key)
{
    static const double SPANS[] = {SPAN_LEAST, 0.1, 0.2, 0.5, 1};
    double most = 0;
    const cJSON *day;
    size_t i = 0;

    cJSON_ArrayForEach(day, days)
    {
        const cJSON *range = value_at(day, key);

        most = fmax(most, fabs(calibration_off(p, value_number(range, "low"))));
        most = fmax(most, fabs(calibration_off(p, value_number(range, "high"))));
    }
    while (i + 1 < sizeof SPANS / sizeof *SPANS && SPANS[i] < most)
        i++;
    p->span = SPANS[i];
    p->first = calibration_day_number(days->child);
    p->days = calibration_day_number(days->child->prev) - p->first + 1;
    p->days = fmax(p->days, DAYS_LEAST);
}

static void
plot_grid(struct html *h, const struct plot *p)
{
    html(h,
         "<rect class=\"usual\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"/>"
         "<g class=\"grid\">",
         LEFT, plot_y(p, OFF), RIGHT - LEFT, plot_y(p, -OFF) - plot_y(p, OFF));
    for (int i = -1; i <= 1; i++) {
        const double y = plot_y(p, i * p->span);

        html(h,
             "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
             "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s%.0f\u00a0%%</text>",
             LEFT, RIGHT, y, y, LEFT - 4, y + 4,
             i < 0   ? "\u2212"
             : i > 0 ? "+"
                     : "",
             fabs(i * p->span) * 100);
    }
    html(h, "</g>");
}

static void
plot_day(struct html *h, const struct plot *p, const cJSON *day, const struct figure *f)
{
    const cJSON *range = value_at(day, f->key);
    const double x = plot_x(p, calibration_day_number(day));
    const double off = calibration_off(p, value_number(range, "mean"));

    if (isnan(x) || isnan(off))
        return;
    html(h,
         "<g class=\"day%s\"><line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
         "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>%s: ",
         fabs(off) > OFF ? " off" : "", x, x,
         plot_y(p, calibration_off(p, value_number(range, "high"))),
         plot_y(p, calibration_off(p, value_number(range, "low"))), x, plot_y(p, off),
         value_text(day, "day"));
    html_rate(h, value_number(range, "mean"));
    html(h, "\u00a0%s</title></circle></g>", f->unit);
}

static void
plot_draw(struct html *h, const cJSON *gpu, const struct figure *f, int id)
{
    const cJSON *days = value_at(gpu, "days"), *day;
    struct plot p = {.usual = value_number(value_at(gpu, "usual"), f->key)};

    if (!(p.usual > 0) || days == NULL || days->child == NULL)
        return;
    plot_choose(&p, days, f->key);
    html(h, "<figure class=\"drift\"><figcaption><strong>%s</strong> usual is ",
         f->title);
    html_rate(h, p.usual);
    html(h, "\u00a0%s</figcaption>", f->unit);
    html(h,
         "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-labelledby=\"drift-%d drift-words-%d\"><title id=\"drift-%d\">%s, day by "
         "day</title><desc id=\"drift-words-%d\">A point is a day's mean, and its line "
         "goes from the least to the greatest of that day. The table has the "
         "figures.</desc>",
         WIDTH, HEIGHT, id, id, id, f->title, id);
    plot_grid(h, &p);
    cJSON_ArrayForEach(day, days) plot_day(h, &p, day, f);
    html(h,
         "<text x=\"%.0f\" y=\"%.0f\">%s</text><text x=\"%.1f\" y=\"%.0f\" "
         "text-anchor=\"end\">%s</text></svg></figure>",
         LEFT, HEIGHT - 4, value_text(days->child, "day"), RIGHT, HEIGHT - 4,
         value_text(days->child->prev, "day"));
}

/* --- words and the table ------------------------------------------------- */

/* How far that is from the usual, such as "0.4 % below the usual". */
static void
calibration_words(struct html *h, double off)
{
    if (fabs(off) < 0.0005) {
        html(h, "as usual");
        return;
    }
    html_share(h, fabs(off));
    html(h, " %s the usual", off < 0 ? "below" : "above");
}

static void
calibration_tell(struct html *h, const cJSON *gpu)
{
    const cJSON *drift = value_at(gpu, "drift"), *days = value_at(gpu, "days");
    bool off = false;

    if (!cJSON_IsObject(drift) || days->child == NULL) {
        html(h, "<p class=\"quiet\">What is usual is known when it was measured on three "
                "days.</p>");
        return;
    }
    html(h, "<p>On %s ", value_text(days->child->prev, "day"));
    for (size_t i = 0; i < FIGURE_COUNT; i++) {
        const double by = value_number(drift, FIGURES[i].key);

        html(h, "%s%s was ", i > 0 ? ", " : "", FIGURES[i].words);
        calibration_words(h, by);
        off |= fabs(by) > OFF;
    }
    html(h, ".%s</p>",
         off ? " More than 2\u00a0% is unusual: the GPU was throttled, or something else "
               "uses it, or its driver has changed."
             : "");
}

static void
calibration_cell(struct html *h, const cJSON *gpu, const cJSON *day,
                 const struct figure *f)
{
    const cJSON *range = value_at(day, f->key);
    const double usual = value_number(value_at(gpu, "usual"), f->key);

    html(h, "<td class=\"number\">");
    html_rate(h, value_number(range, "mean"));
    html(h, " <small>");
    html_rate(h, value_number(range, "low"));
    html(h, " to ");
    html_rate(h, value_number(range, "high"));
    html(h, "</small></td><td class=\"number\">");
    if (usual > 0) {
        const double off = value_number(range, "mean") / usual - 1;

        html(h, "%s%.1f\u00a0%%", off < -0.0005 ? "\u2212" : "+", fabs(off) * 100);
    }
    html(h, "</td>");
}

static void
calibration_table(struct html *h, const cJSON *gpu)
{
    const cJSON *days = value_at(gpu, "days");

    if (days == NULL || days->child == NULL)
        return;
    html(h,
         "<details><summary>Each day</summary><div class=\"scroll\" tabindex=\"0\" "
         "role=\"region\" aria-label=\"Days of %s\"><table><thead><tr>"
         "<th scope=\"col\">Day</th><th scope=\"col\" class=\"number\">Measured</th>",
         value_text(gpu, "gpu"));
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        html(h,
             "<th scope=\"col\" class=\"number\">%s, %s</th>"
             "<th scope=\"col\" class=\"number\">Against usual</th>",
             FIGURES[i].title, FIGURES[i].unit);
    html(h, "</tr></thead><tbody>");
    /* The newest first. The first one's `prev` is the last. */
    for (const cJSON *day = days->child->prev;; day = day->prev) {
        html(h, "<tr><th scope=\"row\">%s</th><td class=\"number\">%lld</td>",
             value_text(day, "day"), value_whole(day, "measurements"));
        for (size_t i = 0; i < FIGURE_COUNT; i++)
            calibration_cell(h, gpu, day, &FIGURES[i]);
        html(h, "</tr>");
        if (day == days->child)
            break;
    }
    html(h, "</tbody></table></div></details>");
}

void
calibration_view(struct html *h, const cJSON *gpu, int number)
{
    const char *node = value_text(gpu, "node");

    html(h, "<section><h2>%s%s%s, %s</h2><p class=\"quiet\">%s, measured ",
         value_text(gpu, "device"), node[0] != '\0' ? " of " : "", node,
         value_text(gpu, "board"), value_text(gpu, "gpu"));
    html_ago(h, value_number(gpu, "measured_ms"));
    html(h, "</p>");
    calibration_tell(h, gpu);
    html(h, "<div class=\"drifts\">");
    for (size_t i = 0; i < FIGURE_COUNT; i++)
        plot_draw(h, gpu, &FIGURES[i], number * (int)FIGURE_COUNT + (int)i);
    html(h, "</div>");
    calibration_table(h, gpu);
    html(h, "</section>");
}
