/* The metrics of the process, of its database and of the GPUs' calibration. Private to
 * api_metrics.c. */
#ifndef DAEMON_METRICS_MACHINE_H
#define DAEMON_METRICS_MACHINE_H

struct buf;
struct daemon;

void metrics_add_machine(struct buf *b, const struct daemon *d);

/* Adds the two lines above a metric's values; and a metric that has one value. */
void metric_head(struct buf *b, const char *name, const char *type, const char *help);
void metric_add(struct buf *b, const char *name, const char *type, const char *help,
                double value);

#endif
