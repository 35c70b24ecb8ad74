#include "daemon/web/rows.h"

#include <math.h>

void
rows_fate(struct html *h, const cJSON *sub)
{
    if (value_is_text(sub, "state", "done"))
        html_verdict(h, value_text(sub, "verdict"));
    else
        html(h,
             "<span class=\"verdict neither\"><span aria-hidden=\"true\">\u2026</span> "
             "%s</span>",
             value_text(sub, "state"));
}

void
rows_submission_heads(struct html *h)
{
    html(h,
         "<tr><th scope=\"col\" class=\"number\">No.</th><th scope=\"col\">Problem</th>"
         "<th scope=\"col\">User</th><th scope=\"col\">Mode</th>"
         "<th scope=\"col\">Verdict</th><th scope=\"col\" class=\"number\">Time</th>"
         "<th scope=\"col\">Device</th><th scope=\"col\">Sent</th></tr>");
}

void
rows_submission(struct html *h, const cJSON *sub, enum rows rows)
{
    const long long id = value_whole(sub, "id");

    html(h, "<tr><td class=\"number\"><a href=\"/submissions/%lld\">%lld</a></td>", id,
         id);
    if (rows == ROWS_LONG) {
        html(h, "<td>");
        html_problem_link(h, value_text(sub, "problem"), "");
        html(h, "</td><td>");
        html_user(h, sub, "user");
        html(h, "</td>");
    }
    html(h, "<td class=\"quiet\">%s</td><td>", value_text(sub, "mode"));
    rows_fate(h, sub);
    html(h, "</td><td class=\"number\">");
    if (value_is_text(sub, "verdict", "accepted"))
        html_time(h, value_number(sub, "time_ns"));
    html(h, "</td>");
    if (rows == ROWS_LONG)
        html(h, "<td>%s</td>", value_text(sub, "device"));
    html(h, "<td class=\"quiet\">");
    html_ago(h, value_number(sub, "created_ms"));
    html(h, "</td></tr>");
}
