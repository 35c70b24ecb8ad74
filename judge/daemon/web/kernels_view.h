/* What the kernels of a submission cost on emu, and how much of a GPU they fill. */
#ifndef DAEMON_WEB_KERNELS_VIEW_H
#define DAEMON_WEB_KERNELS_VIEW_H

#include "daemon/web/values.h"

/* Writes a row for each kernel; nothing where nothing was counted. */
void kernels_view(struct html *h, const cJSON *sub);

#endif
