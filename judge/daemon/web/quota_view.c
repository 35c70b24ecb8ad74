#include "daemon/web/quota_view.h"

static void
quota_part(struct html *h, const char *title, const cJSON *part, const char *limit)
{
    const double most = value_number(part, limit),
                 retry_s = value_number(part, "retry_s");

    if (!(most > 0))
        return;
    html(h, "<div><dt>%s</dt><dd>%.0f <small>of %.0f", title, value_number(part, "used"),
         most);
    if (retry_s > 0)
        html(h, ", again in %.0f s", retry_s);
    html(h, "</small></dd></div>");
}

void
quota_view(struct html *h, const cJSON *quota)
{
    html(h, "<dl class=\"figures\">");
    quota_part(h, "Submissions in an hour", quota, "per_hour");
    quota_part(h, "In flight", value_at(quota, "in_flight"), "limit");
    quota_part(h, "Seconds of devices in a day", value_at(quota, "device_seconds"),
               "limit");
    html(h, "</dl>");
}
