/* A submission's source, with what was found out of its lines beside and below them. */
#ifndef DAEMON_WEB_SOURCE_VIEW_H
#define DAEMON_WEB_SOURCE_VIEW_H

#include "daemon/web/values.h"

/* Writes the source with the numbers of its lines. A line that costs has its share of
 * the modelled time beside it, and its diagnostics stand below it. Those that belong to
 * no line of this file stand above the source. */
void source_view(struct html *h, const cJSON *sub, const char *filename,
                 const char *source);

/* Counts the lines that a page shows of a source, at most `lines_max`. They have *len
 * bytes, of which the last line may be cut off. */
int source_count_lines(const char *text, int lines_max, size_t *len);

/* A bar for a share of 1. It is a drawing beside a number. */
#define BAR_WIDTH 48
void source_bar(struct html *h, double share);

#endif
