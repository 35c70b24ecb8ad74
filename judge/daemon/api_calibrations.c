/* The API's calibrations: how fast each GPU was, day by day, against what is usual for
 * it. They are for the staff. Each GPU is told in a slice of its own (slices.h). */
#include "daemon/api.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/request.h"
#include "daemon/slices.h"
#include "numbers/statistics.h"
#include "record/calibrations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAYS_DEFAULT 30
/* With fewer days nothing is usual yet. */
#define DAYS_USUAL 3
#define DIGITS 5

static const char *const FIGURES[] = {
#define X(name, text) [CALIBRATION_##name] = (text),
    CALIBRATION_FIGURES(X)
#undef X
};

struct told_calibrations {
    struct store *store;
    char *after; /* the GPU that was looked at last; "" at first */
    int64_t first;
    bool begun, any;
};

static void
told_calibrations_free(void *arg)
{
    struct told_calibrations *t = arg;

    free(t->after);
    free(t);
}

/* A figure is not known to more digits than that, and long numbers make long answers. */
static double
calibration_round(double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.*g", DIGITS, value);
    return strtod(text, NULL);
}

static cJSON *
calibration_day_json(const struct calibration_day *day)
{
    const time_t moment = (time_t)(day->day * (CALIBRATION_DAY_MS / 1000));
    cJSON *o = cJSON_CreateObject();
    char name[32] = "";
    struct tm tm;

    if (gmtime_r(&moment, &tm) != NULL)
        strftime(name, sizeof name, "%Y-%m-%d", &tm);
    cJSON_AddStringToObject(o, "day", name);
    cJSON_AddNumberToObject(o, "measurements", (double)day->count);
    for (int i = 0; i < CALIBRATION_COUNT; i++) {
        const struct calibration_range *range = &day->figure[i];
        cJSON *item = cJSON_AddObjectToObject(o, FIGURES[i]);

        cJSON_AddNumberToObject(item, "mean", calibration_round(range->mean));
        cJSON_AddNumberToObject(item, "low", calibration_round(range->low));
        cJSON_AddNumberToObject(item, "high", calibration_round(range->high));
    }
    return o;
}

/* Adds what is usual: the median of the days' means. The drift is how far the newest day
 * is from it. */
static void
add_usual(cJSON *o, const struct calibrated_gpu *g)
{
    double mean[CALIBRATION_DAYS_MAX];
    cJSON *usual, *drift;

    if (g->count < DAYS_USUAL) {
        cJSON_AddNullToObject(o, "usual");
        cJSON_AddNullToObject(o, "drift");
        return;
    }
    usual = cJSON_AddObjectToObject(o, "usual");
    drift = cJSON_AddObjectToObject(o, "drift");
    for (int i = 0; i < CALIBRATION_COUNT; i++) {
        double middle;

        for (size_t n = 0; n < g->count; n++)
            mean[n] = g->day[n].figure[i].mean;
        middle = quantile(mean, (int)g->count, 0.5);
        cJSON_AddNumberToObject(usual, FIGURES[i], calibration_round(middle));
        cJSON_AddNumberToObject(drift, FIGURES[i],
                                round((mean[g->count - 1] / middle - 1) * 1e5) / 1e5);
    }
}

static cJSON *
calibrated_gpu_json(const struct calibrated_gpu *g)
{
    cJSON *o = cJSON_CreateObject(), *days;

    cJSON_AddStringToObject(o, "gpu", g->gpu);
    cJSON_AddStringToObject(o, "board", g->board);
    cJSON_AddStringToObject(o, "device", g->device);
    cJSON_AddStringToObject(o, "node", g->node);
    cJSON_AddNumberToObject(o, "measured_ms", (double)g->measured_ms);
    add_usual(o, g);
    days = cJSON_AddArrayToObject(o, "days");
    for (size_t i = 0; i < g->count; i++)
        cJSON_AddItemToArray(days, calibration_day_json(&g->day[i]));
    return o;
}

static int
calibrations_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct told_calibrations *t = arg;
    struct calibrated_gpu gpu;
    bool found = false;

    buf_puts(body, t->begun ? " " : "{\"calibrations\":[");
    t->begun = true;
    if (store_next_calibrated(t->store, t->after, t->first, &found, &gpu, r) != 0)
        return -1;
    *more = found;
    if (!found) {
        buf_puts(body, "]}\n");
        return 0;
    }
    if (gpu.count > 0) {
        buf_puts(body, t->any ? "," : "");
        buf_add_json(body, calibrated_gpu_json(&gpu));
        t->any = true;
    }
    free(t->after);
    t->after = gpu.gpu;
    gpu.gpu = NULL;
    calibrated_gpu_free(&gpu);
    return 0;
}

void
api_calibrations(struct http_call *c)
{
    static const struct slices_maker MAKER = {calibrations_next, told_calibrations_free};
    const char *text = call_query(c, "days");
    struct told_calibrations *t;
    int64_t days = DAYS_DEFAULT;

    if (text != NULL && !request_number(text, 1, CALIBRATION_DAYS_MAX, &days)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?days",
                      "days=%.40s: write a number from 1 to %d", text,
                      CALIBRATION_DAYS_MAX);
        return;
    }
    t = xcalloc(1, sizeof *t);
    t->store = c->daemon->store;
    t->after = xstrdup("");
    t->first = now_ms() / CALIBRATION_DAY_MS - days + 1;
    reply_slices(c, &MAKER, t);
}
