#include "daemon/web/values.h"

#include "base/file.h"
#include "daemon/web/clock.h"

#include <math.h>
#include <string.h>

const cJSON *
value_at(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

const char *
value_text(const cJSON *o, const char *key)
{
    const cJSON *item = value_at(o, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

double
value_number(const cJSON *o, const char *key)
{
    const cJSON *item = value_at(o, key);

    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

long long
value_whole(const cJSON *o, const char *key)
{
    const double number = value_number(o, key);

    return fabs(number) <= 0x1p53 ? (long long)number : 0;
}

bool
value_is_true(const cJSON *o, const char *key)
{
    return cJSON_IsTrue(value_at(o, key));
}

bool
value_is_text(const cJSON *o, const char *key, const char *text)
{
    return strcmp(value_text(o, key), text) == 0;
}

/* --- numbers ------------------------------------------------------------ */

void
html_rate(struct html *h, double value)
{
    /* Above these thresholds rounding would show a fourth digit. */
    if (isnan(value))
        return;
    if (fabs(value) < 9.995)
        html(h, "%.2f", value);
    else if (fabs(value) < 99.95)
        html(h, "%.1f", value);
    else
        html(h, "%.0f", value);
}

void
html_time(struct html *h, double ns)
{
    static const char *const UNITS[] = {"ns", "\u00b5s", "ms", "s"};
    int unit = 0;

    if (!(ns >= 0))
        return;
    for (; ns >= 999.5 && unit < 3; unit++)
        ns /= 1000;
    html_rate(h, ns);
    html(h, "\u00a0%s", UNITS[unit]);
}

void
html_share(struct html *h, double share)
{
    const double percent = share * 100;

    if (isnan(percent))
        return;
    if (fabs(percent - round(percent)) < 0.05)
        html(h, "%.0f\u00a0%%", percent);
    else
        html(h, "%.1f\u00a0%%", percent);
}

void
html_bytes(struct html *h, double bytes)
{
    static const char *const UNITS[] = {"bytes", "KiB", "MiB", "GiB"};
    int unit = 0;

    if (!(bytes >= 0))
        return;
    for (; bytes >= 1024 && unit < 3; unit++)
        bytes /= 1024;
    if (bytes == floor(bytes))
        html(h, "%.0f\u00a0%s", bytes, UNITS[unit]);
    else
        html(h, "%.1f\u00a0%s", bytes, UNITS[unit]);
}

void
html_ordinal(struct html *h, long long n)
{
    const long long tens = n % 100, ones = n % 10;
    const bool teen = tens >= 11 && tens <= 13;

    html(h, "%lld%s", n,
         teen        ? "th"
         : ones == 1 ? "st"
         : ones == 2 ? "nd"
         : ones == 3 ? "rd"
                     : "th");
}

void
html_plural(struct html *h, long long n, const char *noun)
{
    html(h, "%lld\u00a0%s%s", n, noun, n == 1 ? "" : "s");
}

void
html_ago_words(struct html *h, double ms)
{
    const double seconds = ((double)now_ms() - ms) / 1000;
    char text[CLOCK_BYTES];

    clock_text(text, ms);
    if (text[0] == '\0')
        return;
    if (seconds < 60)
        html(h, "just now");
    else if (seconds < 3600)
        html(h, "%.0f min ago", floor(seconds / 60));
    else if (seconds < 86400)
        html(h, "%.0f h ago", floor(seconds / 3600));
    else if (seconds < 86400 * 14)
        html(h, "%.0f d ago", floor(seconds / 86400));
    else
        html(h, "%.*s", 10, text);
}

void
html_ago(struct html *h, double ms)
{
    char text[CLOCK_BYTES], machine[CLOCK_BYTES];

    clock_text(text, ms);
    clock_machine_text(machine, ms);
    if (text[0] == '\0')
        return;
    html(h, "<time datetime=\"%s\" title=\"%s\">", machine, text);
    html_ago_words(h, ms);
    html(h, "</time>");
}

void
html_moment(struct html *h, double ms)
{
    char text[CLOCK_BYTES], machine[CLOCK_BYTES];

    clock_text(text, ms);
    clock_machine_text(machine, ms);
    if (text[0] != '\0')
        html(h, "<time class=\"moment\" datetime=\"%s\">%s</time>", machine, text);
}

/* --- links -------------------------------------------------------------- */

void
html_user(struct html *h, const cJSON *o, const char *key)
{
    const char *name = value_text(o, key), *shown = value_text(o, "display_name");

    html(h, "<a class=\"user\" href=\"/users/");
    html_url(h, name);
    html(h, "\">%s</a>", name);
    if (shown[0] != '\0')
        html(h, " <bdi class=\"quiet\">%s</bdi>", shown);
}

void
html_problem_link(struct html *h, const char *slug, const char *title)
{
    html(h, "<a href=\"/problems/");
    html_url(h, slug);
    html(h, "\">%s</a>", title[0] != '\0' ? title : slug);
}

void
html_verdict_words(struct html *h, const char *verdict)
{
    while (*verdict != '\0') {
        const size_t len = strcspn(verdict, "_");

        html(h, "%.*s", (int)len, verdict);
        verdict += len;
        if (*verdict == '_') {
            html(h, " ");
            verdict++;
        }
    }
}

void
html_verdict(struct html *h, const char *verdict)
{
    const bool good = strcmp(verdict, "accepted") == 0;
    const bool neither =
        strcmp(verdict, "cancelled") == 0 || strcmp(verdict, "judge_error") == 0;

    html(h, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> ",
         good      ? "good"
         : neither ? "neither"
                   : "bad",
         good      ? "\u2713"
         : neither ? "\u2013"
                   : "\u2717");
    html_verdict_words(h, verdict);
    html(h, "</span>");
}
