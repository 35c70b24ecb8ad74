#include "daemon/web/failure_view.h"

#include "daemon/web/grid_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 9 /* of a value: those of a float32 */

/* --- the message -------------------------------------------------------- */

/* How many diagnostics have this severity and, with `placed`, a line of this file. */
static int
failure_count(const cJSON *sub, const char *severity, bool placed)
{
    const cJSON *d;
    int count = 0;

    cJSON_ArrayForEach(d, value_at(sub, "diagnostics")) count +=
        value_is_text(d, "severity", severity) &&
        (!placed || (value_whole(d, "line") > 0 &&
                     value_is_text(d, "file", value_text(sub, "filename"))));
    return count;
}

/* Lists the diagnostics that have a line of this file, each with a link to it. What the
 * message says already is not said again. */
static void
failure_places(struct html *h, const cJSON *sub, const char *shown)
{
    const cJSON *d;

    html(h, "<ul class=\"places\">");
    cJSON_ArrayForEach(d, value_at(sub, "diagnostics"))
    {
        const long long line = value_whole(d, "line");
        const char *text = value_text(d, "text");

        if (line <= 0 || !value_is_text(d, "file", value_text(sub, "filename")))
            continue;
        html(h, "<li class=\"found %s\"><a href=\"#L%lld\">line %lld</a> <b>%s</b>",
             value_text(d, "severity"), line, line, value_text(d, "severity"));
        if (strstr(shown, text) == NULL)
            html(h, " %s", text);
        html(h, "</li>");
    }
    html(h, "</ul>");
}

/* What compilers say stands at its lines. Their own words are folded then. */
static void
failure_of_compiler(struct html *h, const cJSON *sub)
{
    const int errors = failure_count(sub, "error", false);

    html(h, "<p>It does not compile: ");
    html_plural(h, errors, "error");
    html(h, ".</p>");
    failure_places(h, sub, "");
    html(h,
         "<details><summary>What the compiler says</summary>"
         "<pre class=\"message\">%s</pre></details>",
         value_text(sub, "message"));
}

static void
failure_message(struct html *h, const cJSON *sub, bool source)
{
    const char *message = value_text(sub, "message");
    const int errors = failure_count(sub, "error", true);

    if (source && errors > 0 && value_is_text(sub, "verdict", "compile_error") &&
        errors == failure_count(sub, "error", false)) {
        failure_of_compiler(h, sub);
        return;
    }
    if (message[0] != '\0')
        html(h, "<pre class=\"message\">%s</pre>", message);
    if (source && errors + failure_count(sub, "warning", true) > 0)
        failure_places(h, sub, message);
}

/* --- the first wrong element -------------------------------------------- */

/* Writes by how much what was got is above what was expected. Values that JSON has as
 * texts, such as NaN, have no difference. */
static void
failure_difference(struct html *h, const cJSON *failure)
{
    const double difference =
        value_number(failure, "got") - value_number(failure, "want");
    char text[32];

    if (!isfinite(difference))
        return;
    snprintf(text, sizeof text, "%.6g", difference);
    html(h, "%s", text);
}

static void
failure_element(struct html *h, const cJSON *sub)
{
    const cJSON *failure = value_at(sub, "failure"), *index;
    bool first = true;

    if (failure == NULL || value_at(failure, "got") == NULL)
        return;
    html(h,
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
         "aria-label=\"The first wrong element\"><table class=\"failure\"><caption>"
         "The first wrong element, in test %lld (%s)</caption><thead><tr>"
         "<th scope=\"col\">Element</th><th scope=\"col\" class=\"number\">Got</th>"
         "<th scope=\"col\" class=\"number\">Expected</th>"
         "<th scope=\"col\" class=\"number\">Difference</th>"
         "<th scope=\"col\" class=\"number\">Wrong</th></tr></thead><tbody><tr><td>"
         "<code>%s[",
         value_whole(failure, "test"), value_text(failure, "sizes"),
         value_text(failure, "output"));
    cJSON_ArrayForEach(index, value_at(failure, "index"))
    {
        html(h, "%s%.0f", first ? "" : "][", index->valuedouble);
        first = false;
    }
    html(h, "]</code></td><td class=\"number bad\">");
    grid_value(h, value_at(failure, "got"), DIGITS);
    html(h, "</td><td class=\"number good\">");
    grid_value(h, value_at(failure, "want"), DIGITS);
    html(h, "</td><td class=\"number\">");
    failure_difference(h, failure);
    html(h, "</td><td class=\"number\">%lld of %lld</td></tr></tbody></table></div>",
         value_whole(failure, "wrong"), value_whole(failure, "of"));
}

void
failure_view(struct html *h, const cJSON *sub, bool source)
{
    failure_message(h, sub, source);
    failure_element(h, sub);
    grid_view(h, value_at(sub, "failure"));
}

/* --- the tests ---------------------------------------------------------- */

void
tests_view(struct html *h, const cJSON *sub)
{
    const cJSON *tests = value_at(sub, "tests"), *test;
    int passed = 0;

    if (cJSON_GetArraySize(tests) == 0)
        return;
    cJSON_ArrayForEach(test, tests) passed += value_is_text(test, "verdict", "accepted");
    html(h,
         "<section aria-labelledby=\"tests\"><h2 id=\"tests\">Tests</h2>"
         "<p>%d of %d passed.</p><ol class=\"tests\">",
         passed, cJSON_GetArraySize(tests));
    cJSON_ArrayForEach(test, tests)
    {
        const char *detail = value_text(test, "detail");

        html(h, "<li value=\"%lld\">", value_whole(test, "number"));
        html_verdict(h, value_text(test, "verdict"));
        html(h, " <span class=\"quiet\">%s</span>", value_text(test, "sizes"));
        if (detail[0] != '\0')
            html(h, "<pre>%s</pre>", detail);
        html(h, "</li>");
    }
    html(h, "</ol></section>");
}
