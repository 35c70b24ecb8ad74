#include "daemon/web/roofline_view.h"

#include <math.h>
#include <stdio.h>

/* In units of the drawing, which a browser scales. */
#define WIDTH 360.0
#define HEIGHT 200.0
#define LEFT 80.0 /* of the plot; the speeds stand before it */
#define RIGHT 352.0
#define TOP 16.0
#define BOTTOM 180.0

/* Both axes are logarithmic. Their ends are whole powers of ten. */
struct axis {
    double from, to; /* exponents of 10 */
};

struct roofline {
    double intensity;       /* operations for each byte of the work */
    double gflops;          /* what is reached */
    double roof_gflops;     /* what the limit allows at this intensity */
    double roof_gbs;        /* the bytes that go with it */
    bool of_memory;         /* the limit is that of memory: its roof slopes */
    struct axis work, rate; /* from left to right, and upwards */
};

static double
roofline_x(const struct roofline *r, double exponent)
{
    return LEFT +
           (RIGHT - LEFT) * (exponent - r->work.from) / (r->work.to - r->work.from);
}

static double
roofline_y(const struct roofline *r, double exponent)
{
    return BOTTOM -
           (BOTTOM - TOP) * (exponent - r->rate.from) / (r->rate.to - r->rate.from);
}

/* --- the axes ----------------------------------------------------------- */

/* An operation rate of 10 to this power of GFLOP/s, such as "100 TFLOP/s". */
static void
roofline_rate_name(struct html *h, int exponent)
{
    static const char *const UNITS[] = {"MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"};
    const int unit = (int)floor(exponent / 3.0) + 1;

    if (unit >= 0 && unit < 4)
        html(h, "%.0f\u00a0%s", pow(10, exponent - 3 * (unit - 1)), UNITS[unit]);
}

static void
roofline_grid(struct html *h, const struct roofline *r)
{
    html(h, "<g class=\"grid\">");
    for (int i = (int)r->rate.from; i <= (int)r->rate.to; i++) {
        const double y = roofline_y(r, i);

        html(h,
             "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
             "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">",
             LEFT, RIGHT, y, y, LEFT - 4, y + 4);
        roofline_rate_name(h, i);
        html(h, "</text>");
    }
    for (int i = (int)r->work.from; i <= (int)r->work.to; i++) {
        const double x = roofline_x(r, i);
        char name[32];

        snprintf(name, sizeof name, "%g", pow(10, i));
        html(h,
             "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/>"
             "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>",
             x, x, TOP, BOTTOM, x, BOTTOM + 14, i == (int)r->work.to ? "end" : "middle",
             name);
    }
    html(h, "</g>");
}

/* --- the roof and the point --------------------------------------------- */

/* Draws the roof between two intensities, as far as it lies in the plot. */
static void
roofline_roof(struct html *h, const struct roofline *r, double from, double to,
              const char *class)
{
    const double slope = r->of_memory ? 1 : 0;
    const double at = log10(r->intensity), height = log10(r->roof_gflops);

    if (r->of_memory) {
        from = fmax(from, at + r->rate.from - height);
        to = fmin(to, at + r->rate.to - height);
    }
    if (to > from)
        html(h, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
             class, roofline_x(r, from), roofline_y(r, height + slope * (from - at)),
             roofline_x(r, to), roofline_y(r, height + slope * (to - at)));
}

/* A limit of memory binds all work with fewer operations for each byte, too, and one of a
 * unit all work with more of them. On the other side another limit may bind sooner, which
 * the API does not tell: there the roof is dashed. */
static void
roofline_roofs(struct html *h, const struct roofline *r)
{
    const double at = log10(r->intensity);

    roofline_roof(h, r, r->work.from, at, r->of_memory ? "roof" : "roof perhaps");
    roofline_roof(h, r, at, r->work.to, r->of_memory ? "roof perhaps" : "roof");
}

static void
roofline_point(struct html *h, const struct roofline *r)
{
    const double x = roofline_x(r, log10(r->intensity));
    const double y = roofline_y(r, log10(r->gflops));
    const double roof = roofline_y(r, log10(r->roof_gflops));
    const bool low = y > (TOP + BOTTOM) / 2;

    html(h,
         "<line class=\"below\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
         "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>"
         "<text class=\"point\" x=\"%.1f\" y=\"%.1f\">",
         x, x, roof, y, x, y, x + 8, low ? y + 4 : y + 14);
    html_share(h, r->gflops / r->roof_gflops);
    html(h, "</text>");
}

static void
roofline_draw(struct html *h, const struct roofline *r)
{
    html(h,
         "<figure class=\"roofline\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
         "aria-labelledby=\"roofline-name roofline-words\"><title id=\"roofline-name\">"
         "The submission below its roofline</title><desc id=\"roofline-words\">The point "
         "is the submission, and the line the limit that binds. The sentences below have "
         "the figures.</desc>",
         WIDTH, HEIGHT);
    roofline_grid(h, r);
    roofline_roofs(h, r);
    roofline_point(h, r);
    html(h, "</svg><figcaption class=\"quiet\">operations for each byte of the work"
            "</figcaption></figure>");
}

/* --- words -------------------------------------------------------------- */

/* Three digits, also of small numbers. */
static void
roofline_number(struct html *h, double value)
{
    char text[32];

    if (value >= 0.995) {
        html_rate(h, value);
        return;
    }
    snprintf(text, sizeof text, "%.3g", value);
    html(h, "%s", text);
}

static void
roofline_tell(struct html *h, const cJSON *sub, const struct roofline *r)
{
    html(h, "<p>The work has ");
    roofline_number(h, r->intensity);
    html(h, " operations for each byte. %s%s allows ",
         r->of_memory ? "Memory" : value_text(sub, "limit_by"),
         r->of_memory ? "" : " arithmetic");
    roofline_number(h, r->roof_gflops);
    html(h, "\u00a0GFLOP/s there");
    if (r->of_memory) {
        html(h, ", at ");
        roofline_number(h, r->roof_gbs);
        html(h, "\u00a0GB/s");
    }
    html(h, ". The submission reaches ");
    roofline_number(h, r->gflops);
    html(h, "\u00a0GFLOP/s, ");
    html_share(h, r->gflops / r->roof_gflops);
    html(h,
         " of the limit. <span class=\"quiet\">Where the line is dashed, another limit "
         "may bind sooner.</span></p>");
}

/* --- what is known ------------------------------------------------------ */

/* Chooses the ends of the axes, with room around the point and its limit. */
static void
roofline_choose_axes(struct roofline *r)
{
    const double low = fmin(r->gflops, r->roof_gflops);
    const double high = fmax(r->gflops, r->roof_gflops);

    r->work.from = floor(log10(r->intensity)) - 1;
    r->work.to = r->work.from + 3;
    r->rate.from = floor(log10(low) - 0.15);
    r->rate.to = fmax(ceil(log10(high) + 0.15), r->rate.from + 2);
}

static bool
roofline_take(struct roofline *r, const cJSON *sub)
{
    const double gbs = value_number(sub, "bandwidth_gbs");
    const double share = value_number(sub, "limit_share");

    r->gflops = value_number(sub, "gflops");
    r->intensity = r->gflops / gbs;
    r->roof_gflops = r->gflops / share;
    r->roof_gbs = gbs / share;
    r->of_memory = value_is_text(sub, "limit_by", "memory");
    if (!(r->gflops > 0) || !(gbs > 0) || !(share > 0) || !isfinite(r->intensity) ||
        !isfinite(r->roof_gflops))
        return false;
    roofline_choose_axes(r);
    return true;
}

void
roofline_view(struct html *h, const cJSON *sub)
{
    struct roofline r = {0};

    if (!roofline_take(&r, sub))
        return;
    html(h, "<section aria-labelledby=\"roofline\"><h2 id=\"roofline\">Roofline</h2>");
    roofline_draw(h, &r);
    roofline_tell(h, sub, &r);
    html(h, "</section>");
}
