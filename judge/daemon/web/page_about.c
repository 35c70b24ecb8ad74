/* About this judge: its devices, what a time means, its version. */
#include "daemon/api.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/values.h"
#include "daemon/web/workers_view.h"

static void
about_devices(struct html *h, const cJSON *health)
{
    const cJSON *device;

    html(h, "<h2>Devices</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"Devices\"><table><thead><tr>"
            "<th scope=\"col\">Name</th><th scope=\"col\">What it is</th>"
            "<th scope=\"col\">Board</th><th scope=\"col\" class=\"number\">Memory</th>"
            "<th scope=\"col\">Now</th></tr></thead><tbody>");
    cJSON_ArrayForEach(device, value_at(health, "devices"))
    {
        html(h,
             "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td class=\"number\">",
             value_text(device, "name"), value_text(device, "title"),
             value_text(device, "board"));
        html_bytes(h, value_number(device, "memory_bytes"));
        html(h, "</td><td>%s</td></tr>", workers_view_now(device));
    }
    html(h, "</tbody></table></div><p>");
    html_plural(h, value_whole(health, "queued"), "submission");
    html(h, " not done.</p>");
}

static void
about_show(struct view *v)
{
    const cJSON *health = v->answer;
    struct html *h = &v->page;

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    layout_begin(v, "About this judge", SECTION_ABOUT, 0);
    html(h, "<h1>About this judge</h1>");
    if (value_text(health, "trouble")[0] != '\0')
        html(h, "<p class=\"notice\" role=\"alert\">%s</p>",
             value_text(health, "trouble"));
    if (value_is_true(health, "insecure"))
        html(h, "<p class=\"notice\">Submissions run without a sandbox here.</p>");
    about_devices(h, health);
    html(h,
         "<h2>What is judged</h2><p>You write one <code>.cu</code> file with <code>"
         "extern \"C\" void solve(...)</code>. The judge owns the memory, the clock and "
         "the answers: it writes fresh secret inputs, calls your <code>solve()</code> "
         "in a sandbox, copies the outputs away and compares them.</p>"
         "<h2>What a time means</h2><p>A time on a GPU is the median of many calls, "
         "each with inputs of its own, all of which are checked. Its 95\u00a0%% "
         "interval says how sure it is. On <code>emu</code> there is no GPU: the PTX of "
         "your kernels is executed, and the time is modelled from what was counted. It "
         "is the same on every machine, and has boards of its own.</p>"
         "<h2>Version</h2><p>warpjudge %s. Memory and processes are held by %s.</p>",
         value_text(health, "version"), value_text(health, "limits"));
    layout_end(v);
    view_send(v, 200);
}

void
page_about(struct http_call *c)
{
    view_ask(view_begin(c), api_health, about_show);
}
