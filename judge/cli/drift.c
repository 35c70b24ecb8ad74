#include "cli/drift.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/table.h"

#include <math.h>
#include <string.h>

#define OFF 0.02 /* docs/timing.md, "Calibration" */
#define DAYS_SHOWN 7

enum { NODE, DEVICE, BOARD, DAY, COPY, READ, FP32, DAYS, COLUMNS };

/* "-0.4%" of -0.004, and "0.0%" without a sign. */
static void
drift_add(struct buf *b, double by)
{
    const double percent = round(by * 1000) / 10;

    if (percent == 0)
        buf_puts(b, "0.0%");
    else
        buf_printf(b, "%+.1f%%", percent);
}

/* Fills a cell with how far the newest day is from the usual. */
static void
drift_cell(struct table *table, const cJSON *gpu, const char *key)
{
    const cJSON *drift = cJSON_GetObjectItemCaseSensitive(gpu, "drift");
    struct buf b = {0};

    if (cJSON_IsObject(drift))
        drift_add(&b, answer_number(drift, key));
    else
        buf_puts(&b, "new");
    table_cell(table, "%s", buf_str(&b));
    buf_free(&b);
}

/* Fills a cell with the copy bandwidth of the last days, each against the usual. */
static void
drift_days_cell(struct table *table, const cJSON *gpu)
{
    const cJSON *days = answer_array(gpu, "days");
    const cJSON *usual = cJSON_GetObjectItemCaseSensitive(gpu, "usual");
    const int count = cJSON_GetArraySize(days);
    struct buf b = {0};

    for (int i = count > DAYS_SHOWN ? count - DAYS_SHOWN : 0;
         cJSON_IsObject(usual) && i < count; i++) {
        const cJSON *day = cJSON_GetArrayItem(days, i);
        const double mean =
            answer_number(cJSON_GetObjectItemCaseSensitive(day, "copy_gbs"), "mean");

        buf_puts(&b, b.len > 0 ? " " : "");
        drift_add(&b, mean / answer_number(usual, "copy_gbs") - 1);
    }
    table_cell(table, "%s", buf_str(&b));
    buf_free(&b);
}

static bool
gpu_is_off(const cJSON *gpu)
{
    static const char *const KEYS[] = {"copy_gbs", "read_gbs", "fp32_tflops"};
    const cJSON *drift = cJSON_GetObjectItemCaseSensitive(gpu, "drift");
    bool off = false;

    for (size_t i = 0; cJSON_IsObject(drift) && i < sizeof KEYS / sizeof *KEYS; i++)
        off = off || fabs(answer_number(drift, KEYS[i])) > OFF;
    return off;
}

static void
drift_row(struct table *table, const cJSON *gpu)
{
    const char *node = answer_string(gpu, "node");
    const cJSON *days = answer_array(gpu, "days");
    const cJSON *day = cJSON_GetArrayItem(days, cJSON_GetArraySize(days) - 1);

    table_row(table, gpu_is_off(gpu) ? STYLE_WARN : STYLE_PLAIN);
    table_cell(table, "%s", node[0] != '\0' ? node : "(here)");
    table_cell(table, "%s", answer_string(gpu, "device"));
    table_cell(table, "%s", answer_string(gpu, "board"));
    table_cell(table, "%s", answer_string(day, "day"));
    drift_cell(table, gpu, "copy_gbs");
    drift_cell(table, gpu, "read_gbs");
    drift_cell(table, gpu, "fp32_tflops");
    drift_days_cell(table, gpu);
}

static void
drift_table(const struct terminal *t, const cJSON *list)
{
    static const struct column columns[COLUMNS] = {
        [NODE] = {"drift of", false}, [DEVICE] = {"device", false},
        [BOARD] = {"board", false},   [DAY] = {"on", false},
        [COPY] = {"copy", true},      [READ] = {"read", true},
        [FP32] = {"fp32", true},      [DAYS] = {"copy on the last days", false},
    };
    struct table *table = table_new(columns, COLUMNS);
    const cJSON *gpu;

    table_may_leave(table, BOARD, 1);
    table_may_leave(table, DAYS, 2);
    cJSON_ArrayForEach(gpu, list) drift_row(table, gpu);
    table_print(table, t);
    table_free(table);
}

void
drift_print(struct cli *cli, const struct terminal *t)
{
    struct report ignored = {0};
    cJSON *answer = NULL;
    const cJSON *list;

    if (client_get(cli->client, "/api/calibrations", &answer, &ignored) != CLIENT_OK)
        return;
    list = answer_array(answer, "calibrations");
    if (cJSON_GetArraySize(list) > 0) {
        terminal_print(t, STYLE_PLAIN, "\n");
        drift_table(t, list);
    }
    cJSON_Delete(answer);
}
