/* For the staff: how fast each GPU was, day by day. */
#include "daemon/api.h"
#include "daemon/web/calibration_view.h"
#include "daemon/web/layout.h"
#include "daemon/web/page_routes.h"
#include "daemon/web/staff_view.h"

/* The GPU that is shown next, and the first one. */
enum { PART_NEXT, PART_FIRST };

/* Each GPU has a step of its own, because there may be several with many days. */
static void
calibrations_go_on(struct view *v)
{
    const cJSON *gpu = v->part[PART_NEXT];
    int number = 0;

    if (gpu == NULL) {
        layout_end(v);
        view_send(v, 200);
        return;
    }
    for (const cJSON *at = v->part[PART_FIRST]; at != gpu; at = at->next)
        number++;
    calibration_view(&v->page, gpu, number);
    v->part[PART_NEXT] = gpu->next;
    view_later(v, calibrations_go_on);
}

static void
calibrations_show(struct view *v)
{
    const cJSON *list = value_at(v->answer, "calibrations");

    if (v->status != 200) {
        view_fail(v);
        return;
    }
    staff_head(v, STAFF_CALIBRATIONS, "Calibration");
    html(&v->page,
         "<p class=\"lead\">Before and after the timed calls of a submission the judge "
         "measures how fast the GPU is. Here are the last 30 days, of UTC. What is usual "
         "is the median of these days; the band is 2\u00a0%% around it.</p>");
    if (cJSON_GetArraySize(list) == 0)
        html(&v->page, "<p class=\"quiet\">No GPU was measured in these days. The times "
                       "of emu are modelled, so that it has no calibration.</p>");
    v->part[PART_FIRST] = v->part[PART_NEXT] = list != NULL ? list->child : NULL;
    calibrations_go_on(v);
}

void
page_calibrations(struct http_call *c)
{
    view_ask(view_begin(c), api_calibrations, calibrations_show);
}
