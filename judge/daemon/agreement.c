#include "daemon/agreement.h"

#include "base/buf.h"
#include "numbers/statistics.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

static double
rate_of(const cJSON *o, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);

    return cJSON_IsNumber(item) && isfinite(item->valuedouble) && item->valuedouble > 0
               ? item->valuedouble
               : 0;
}

bool
agreement_read(const char *conditions, struct node_rates *out)
{
    cJSON *o = conditions != NULL ? cJSON_Parse(conditions) : NULL;
    const cJSON *before = cJSON_GetObjectItemCaseSensitive(o, "before");
    const struct node_rates rates = {.copy_gbs = rate_of(before, "copy_gbs"),
                                     .read_gbs = rate_of(before, "read_gbs"),
                                     .fp32_tflops = rate_of(before, "fp32_tflops")};

    cJSON_Delete(o);
    if (!(rates.copy_gbs > 0) && !(rates.read_gbs > 0) && !(rates.fp32_tflops > 0))
        return false;
    *out = rates;
    return true;
}

/* The rate that lies `member` bytes into the struct. */
static double
rate_at(const struct node_rates *rates, size_t member)
{
    return *(const double *)(const void *)((const char *)rates + member);
}

/* Do the others agree, so that one may be judged by them? At least two of them, and more
 * than half, must be like their median. Otherwise one sick node would drain all good
 * ones that come after it. */
static bool
rates_agree(const double *known, int n, double median)
{
    int alike = 0;

    for (int i = 0; i < n; i++)
        alike += fabs(known[i] / median - 1) <= AGREEMENT_OFF;
    return alike >= 2 && 2 * alike > n;
}

static char *
rate_off(const char *what, const char *unit, const struct node_rates *own,
         const struct node_rates *others, size_t count, size_t member)
{
    double *known = xcalloc(count + 1, sizeof *known), usual, by;
    bool agree;
    int n = 0;

    for (size_t i = 0; i < count; i++)
        if (rate_at(&others[i], member) > 0)
            known[n++] = rate_at(&others[i], member);
    usual = n > 0 ? quantile(known, n, 0.5) : 0;
    agree = usual > 0 && rates_agree(known, n, usual);
    free(known);
    if (!agree || !(rate_at(own, member) > 0))
        return NULL;
    by = rate_at(own, member) / usual - 1;
    if (fabs(by) <= AGREEMENT_OFF)
        return NULL;
    return xasprintf("its %s is %.1f%% %s the %.4g %s of the board's other nodes", what,
                     100 * fabs(by), by < 0 ? "below" : "above", usual, unit);
}

char *
agreement_off(const struct node_rates *own, const struct node_rates *others, size_t count)
{
    char *text = rate_off("copy bandwidth", "GB/s", own, others, count,
                          offsetof(struct node_rates, copy_gbs));

    if (text == NULL)
        text = rate_off("read bandwidth", "GB/s", own, others, count,
                        offsetof(struct node_rates, read_gbs));
    if (text == NULL)
        text = rate_off("fp32 rate", "TFLOP/s", own, others, count,
                        offsetof(struct node_rates, fp32_tflops));
    return text;
}
