#include "daemon/web/workers_view.h"

#include "daemon/web/values.h"

#include <math.h>
#include <string.h>

static void
workers_row(struct html *h, const cJSON *w)
{
    const long long submission = value_whole(w, "submission");
    const double drift = value_number(w, "drift_percent");
    const bool compiles = strcmp(value_text(w, "role"), "compile") == 0;

    html(h, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>",
         value_text(w, "node"), value_text(w, "device"),
         compiles ? "compiles for others" : value_text(w, "board"));
    if (value_text(w, "drained")[0] != '\0')
        html(h, "gets no work");
    else if (submission > 0)
        html(h, "<a href=\"/submissions/%lld\">%lld</a>", submission, submission);
    else
        html(h, "is free");
    html(h,
         "</td><td class=\"number\">%lld</td><td class=\"number\">%lld</td><td>%s</td>",
         value_whole(w, "judged"), value_whole(w, "lost"), value_text(w, "driver"));
    if (isnan(drift))
        html(h, "<td></td></tr>");
    else
        html(h, "<td class=\"number\">%.1f\u00a0%%</td></tr>", drift);
}

static void
workers_sentence(struct html *h, const cJSON *w, const char *words, const char *key)
{
    if (value_text(w, key)[0] != '\0')
        html(h, "<p class=\"notice\">%s of %s %s %s</p>", value_text(w, "device"),
             value_text(w, "node"), words, value_text(w, key));
}

void
workers_view(struct html *h, const cJSON *answer)
{
    const cJSON *list = value_at(answer, "workers"), *w;

    if (cJSON_GetArraySize(list) == 0)
        return;
    html(h, "<h2>Workers</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Workers\"><table><thead><tr>"
            "<th scope=\"col\">Node</th><th scope=\"col\">Device</th>"
            "<th scope=\"col\">Board</th><th scope=\"col\">Judges</th>"
            "<th scope=\"col\" class=\"number\">Judged</th>"
            "<th scope=\"col\" class=\"number\">Lost</th><th scope=\"col\">Driver</th>"
            "<th scope=\"col\" class=\"number\">Drift</th></tr></thead><tbody>");
    cJSON_ArrayForEach(w, list) workers_row(h, w);
    html(h, "</tbody></table></div>");
    if (value_whole(answer, "count") > cJSON_GetArraySize(list))
        html(h, "<p>These are the newest %d of %lld workers.</p>",
             cJSON_GetArraySize(list), value_whole(answer, "count"));
    cJSON_ArrayForEach(w, list)
    {
        if (value_text(w, "no_pair")[0] != '\0')
            html(h, "<p class=\"notice\">%s</p>", value_text(w, "no_pair"));
        else
            workers_sentence(h, w, "gets no work:", "drained");
        workers_sentence(h, w, "lacks", "lacks");
    }
}

const char *
workers_view_now(const cJSON *device)
{
    if (value_number(device, "workers") == 0)
        return "no worker judges for it";
    return value_is_true(device, "busy") ? "judges" : "is free";
}
