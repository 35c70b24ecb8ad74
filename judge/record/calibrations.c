/* Calibrations in the store. */
#include "record/calibrations.h"

#include "base/buf.h"
#include "record/store_statements.h"

#include <stdlib.h>

enum {
    COLUMN_DAY,
    COLUMN_TIMES,
    COLUMN_NAME,
    COLUMN_PLACE,
    COLUMN_HOST,
    COLUMN_LAST,
    COLUMN_FIGURES
};

void
calibrated_gpu_free(struct calibrated_gpu *g)
{
    free(g->gpu);
    free(g->board);
    free(g->device);
    free(g->node);
    free(g->day);
    *g = (struct calibrated_gpu){0};
}

static void
calibration_read_day(sqlite3_stmt *st, struct calibrated_gpu *g)
{
    struct calibration_day *day = &g->day[g->count++];

    day->day = sqlite3_column_int64(st, COLUMN_DAY);
    day->count = sqlite3_column_int64(st, COLUMN_TIMES);
    for (int i = 0; i < CALIBRATION_COUNT; i++) {
        const int at = COLUMN_FIGURES + 3 * i;

        day->figure[i] = (struct calibration_range){sqlite3_column_double(st, at),
                                                    sqlite3_column_double(st, at + 1),
                                                    sqlite3_column_double(st, at + 2)};
    }
    free(g->board);
    free(g->device);
    free(g->node);
    g->board = store_column_copy(st, COLUMN_NAME);
    g->device = store_column_copy(st, COLUMN_PLACE);
    g->node = store_column_copy(st, COLUMN_HOST);
    g->measured_ms = sqlite3_column_int64(st, COLUMN_LAST);
}

int
store_next_calibrated(struct store *s, const char *after, int64_t first, bool *found,
                      struct calibrated_gpu *out, struct report *r)
{
    sqlite3_stmt *st = store_bind(s, ST_NEXT_CALIBRATED, "t", after);
    struct calibrated_gpu gpu = {0};
    int rc = store_step(s, st, r);

    if (rc == -1)
        return -1;
    *found = rc == SQLITE_ROW;
    if (!*found)
        return 0;
    gpu.gpu = store_column_copy(st, 0);
    sqlite3_reset(st);
    gpu.day = xcalloc(CALIBRATION_DAYS_MAX, sizeof *gpu.day);
    st = store_bind(s, ST_CALIBRATION_DAYS, "tii", gpu.gpu, first,
                    (int64_t)CALIBRATION_DAYS_MAX);
    while ((rc = store_step(s, st, r)) == SQLITE_ROW)
        calibration_read_day(st, &gpu);
    if (rc != SQLITE_DONE) {
        calibrated_gpu_free(&gpu);
        return -1;
    }
    *out = gpu;
    return 0;
}
