#include "arbiter/measuring/calibration.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "numbers/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX ((size_t)1 << 16)

struct calibration
calibration_of(const struct device_rates *rates)
{
    return (struct calibration){.copy_bytes_per_ns = rates->copy_bytes_per_ns,
                                .read_bytes_per_ns = rates->read_bytes_per_ns,
                                .fp32_per_ns = rates->fp32_per_ns};
}

void
calibration_add(struct calibration_history *h, const struct calibration *c)
{
    if (h->count == CALIBRATION_KEPT) {
        memmove(&h->entry[0], &h->entry[1], (CALIBRATION_KEPT - 1) * sizeof *h->entry);
        h->count--;
    }
    h->entry[h->count++] = *c;
}

/* Returns "its WHAT was 5.1% below the usual 4100 UNIT", or NULL. */
static char *
deviation_text(const char *what, const char *unit, double scale, double now, double usual)
{
    const double by = now / usual - 1;

    if (fabs(by) <= CALIBRATION_OFF)
        return NULL;
    return xasprintf("its %s was %.1f%% %s the usual %.4g %s", what, 100 * fabs(by),
                     by < 0 ? "below" : "above", usual * scale, unit);
}

char *
calibration_off(const struct calibration_history *h, const struct calibration *c)
{
    double copy[CALIBRATION_KEPT], fp32[CALIBRATION_KEPT];
    char *text;

    if (h->count < CALIBRATION_TRUSTED)
        return NULL;
    for (int i = 0; i < h->count; i++) {
        copy[i] = h->entry[i].copy_bytes_per_ns;
        fp32[i] = h->entry[i].fp32_per_ns;
    }
    text = deviation_text("copy bandwidth", "GB/s", 1, c->copy_bytes_per_ns,
                          quantile(copy, h->count, 0.5));
    if (text == NULL)
        text = deviation_text("fp32 rate", "TFLOP/s", 1e-3, c->fp32_per_ns,
                              quantile(fp32, h->count, 0.5));
    return text;
}

static void
raise_to(double *rate, double other)
{
    if (other > *rate)
        *rate = other;
}

void
calibration_best(const struct calibration_history *h, struct device_rates *rates)
{
    for (int i = 0; i < h->count; i++) {
        raise_to(&rates->copy_bytes_per_ns, h->entry[i].copy_bytes_per_ns);
        raise_to(&rates->read_bytes_per_ns, h->entry[i].read_bytes_per_ns);
        raise_to(&rates->fp32_per_ns, h->entry[i].fp32_per_ns);
    }
}

static int
read_entries(const cJSON *o, struct calibration_history *h, struct report *r)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "entries"), *item;

    if (!cJSON_IsArray(list))
        return report_fail(r, "entries is not an array");
    cJSON_ArrayForEach(item, list)
    {
        struct calibration c;

        if (json_get_double(item, "copy_bytes_per_ns", &c.copy_bytes_per_ns, r) != 0 ||
            json_get_double(item, "read_bytes_per_ns", &c.read_bytes_per_ns, r) != 0 ||
            json_get_double(item, "fp32_per_ns", &c.fp32_per_ns, r) != 0)
            return -1;
        if (!(c.copy_bytes_per_ns > 0) || !(c.read_bytes_per_ns > 0) ||
            !(c.fp32_per_ns > 0))
            return report_fail(r, "a rate is not positive");
        calibration_add(h, &c);
    }
    return 0;
}

void
calibration_load(const char *path, struct calibration_history *h, struct report *r)
{
    cJSON *o;

    *h = (struct calibration_history){0};
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return;
    o = json_read_file(path, FILE_BYTES_MAX, r);
    if (o != NULL && read_entries(o, h, r) != 0) {
        report_prefix(r, "%s", path);
        *h = (struct calibration_history){0};
    }
    cJSON_Delete(o);
}

int
calibration_save(const char *path, const struct calibration_history *h, struct report *r)
{
    cJSON *o = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(o, "entries");
    int rc;

    for (int i = 0; i < h->count; i++) {
        cJSON *item = cJSON_CreateObject();

        cJSON_AddNumberToObject(item, "copy_bytes_per_ns", h->entry[i].copy_bytes_per_ns);
        cJSON_AddNumberToObject(item, "read_bytes_per_ns", h->entry[i].read_bytes_per_ns);
        cJSON_AddNumberToObject(item, "fp32_per_ns", h->entry[i].fp32_per_ns);
        cJSON_AddItemToArray(list, item);
    }
    rc = json_write_file(path, o, r);
    cJSON_Delete(o);
    return rc;
}
