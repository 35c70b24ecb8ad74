/* Rows of tables that several pages have. */
#ifndef DAEMON_WEB_ROWS_H
#define DAEMON_WEB_ROWS_H

#include "daemon/web/values.h"

enum rows { ROWS_SHORT, ROWS_LONG };

/* A submission: its number, what has become of it, its time. A long row has its problem
 * and its user, too. */
void rows_submission(struct html *h, const cJSON *sub, enum rows rows);

/* The heads of long rows. */
void rows_submission_heads(struct html *h);

/* Where a submission stands, as a verdict or as a state. */
void rows_fate(struct html *h, const cJSON *sub);

#endif
