#include "daemon/web/kernels_view.h"

static void
kernels_row(struct html *h, const cJSON *kernel, long long calls)
{
    const cJSON *occupancy = value_at(kernel, "occupancy");

    html(h, "<tr><th scope=\"row\"><code>%s</code></th><td class=\"number\">",
         value_text(kernel, "name"));
    html_time(h, value_number(kernel, "ns") / (double)calls);
    html(h,
         "</td><td>%s</td><td class=\"number\">%lld\u00a0\u00d7\u00a0%lld</td>"
         "<td class=\"number\">%lld</td><td class=\"number\">",
         value_text(kernel, "why"), value_whole(kernel, "blocks"),
         value_whole(kernel, "threads_per_block"), value_whole(kernel, "registers"));
    html_bytes(h, value_number(kernel, "shared_bytes"));
    html(h, "</td><td class=\"number\">");
    html_share(h,
               value_number(occupancy, "warps") / value_number(occupancy, "warps_of_sm"));
    html(h, "</td></tr>");
}

void
kernels_view(struct html *h, const cJSON *sub)
{
    const cJSON *counters = value_at(sub, "counters");
    const cJSON *kernels = value_at(counters, "kernels"), *kernel;
    const long long calls = value_whole(counters, "calls");

    if (cJSON_GetArraySize(kernels) == 0)
        return;
    html(h,
         "<section aria-labelledby=\"kernels\"><h2 id=\"kernels\">Kernels</h2>"
         "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
         "aria-label=\"Costs of kernels\"><table><thead><tr><th scope=\"col\">Name</th>"
         "<th scope=\"col\" class=\"number\">Of one call</th>"
         "<th scope=\"col\">What bounds it</th>"
         "<th scope=\"col\" class=\"number\">Blocks \u00d7 threads</th>"
         "<th scope=\"col\" class=\"number\">Registers</th>"
         "<th scope=\"col\" class=\"number\">Shared memory</th>"
         "<th scope=\"col\" class=\"number\">Occupancy</th></tr></thead><tbody>");
    cJSON_ArrayForEach(kernel, kernels) kernels_row(h, kernel, calls > 0 ? calls : 1);
    html(h, "</tbody></table></div></section>");
}
