#include "cli/admin_calibration.h"

#include "base/buf.h"
#include "cli/answer.h"
#include "cli/client.h"

#include <math.h>
#include <stdio.h>

#define OFF 0.02 /* docs/timing.md, "Calibration" */

/* Adds ", copy 4021 GB/s (0.4% below the usual)". Returns whether it is far off. */
static bool
calibration_add_figure(struct buf *b, const cJSON *gpu, const cJSON *day, const char *key,
                       const char *name, const char *unit)
{
    const cJSON *drift = cJSON_GetObjectItemCaseSensitive(gpu, "drift");
    const double mean = answer_number(cJSON_GetObjectItemCaseSensitive(day, key), "mean");
    double by;

    buf_printf(b, ", %s %.4g %s", name, mean, unit);
    if (!cJSON_IsObject(drift))
        return false;
    by = answer_number(drift, key);
    if (fabs(by) < 0.0005)
        buf_puts(b, " (as usual)");
    else
        buf_printf(b, " (%.1f%% %s the usual)", fabs(by) * 100,
                   by < 0 ? "below" : "above");
    return fabs(by) > OFF;
}

/* A line for each GPU, about the newest day on which it was measured. */
static void
calibration_print(const struct terminal *t, const cJSON *answer)
{
    const cJSON *list = answer_array(answer, "calibrations"), *gpu;

    if (cJSON_GetArraySize(list) == 0)
        terminal_paragraph(t, STYLE_PLAIN, 0,
                           "no GPU was measured in the last 30 days; the times of emu "
                           "are modelled, so that it has no calibration");
    cJSON_ArrayForEach(gpu, list)
    {
        const cJSON *days = answer_array(gpu, "days");
        const cJSON *day = cJSON_GetArrayItem(days, cJSON_GetArraySize(days) - 1);
        struct buf b = {0};
        bool off;

        buf_puts(&b, answer_string(gpu, "device"));
        if (answer_string(gpu, "node")[0] != '\0')
            buf_printf(&b, " of %s", answer_string(gpu, "node"));
        buf_printf(&b, " (%s, %s) on %s", answer_string(gpu, "board"),
                   answer_string(gpu, "gpu"), answer_string(day, "day"));
        off = calibration_add_figure(&b, gpu, day, "copy_gbs", "copy", "GB/s");
        off |= calibration_add_figure(&b, gpu, day, "read_gbs", "read", "GB/s");
        off |= calibration_add_figure(&b, gpu, day, "fp32_tflops", "fp32", "TFLOP/s");
        terminal_paragraph(t, off ? STYLE_WARN : STYLE_PLAIN, 0, "%s", buf_str(&b));
        buf_free(&b);
    }
}

int
admin_calibration(struct cli *cli)
{
    cJSON *answer = NULL;
    int status = cli_connect(cli);

    if (status != 0)
        return status;
    status = client_exit_status(
        client_get(cli->client, "/api/calibrations", &answer, &cli->report));
    if (status == 0 && cli->args.flag[FLAG_JSON] != NULL)
        cli_print_json(cli, answer);
    else if (status == 0)
        calibration_print(&cli->out, answer);
    cJSON_Delete(answer);
    return status;
}
