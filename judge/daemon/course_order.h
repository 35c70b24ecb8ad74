/* Problems in the order of the course (problem/course.h), for somebody who begins. All
 * specs may have to be loaded for it, so that it is made in steps. */
#ifndef DAEMON_COURSE_ORDER_H
#define DAEMON_COURSE_ORDER_H

#include "base/report.h"

#include <stdbool.h>

struct course_order;
struct specs;

/* Begins to bring `slugs` into the order; they stay the caller's. NULL and a report where
 * the lessons cannot be read. The caller calls course_order_free(). */
struct course_order *course_order_new(struct specs *specs, char **slugs, int count,
                                      struct report *r);
void course_order_free(struct course_order *o);

/* Makes one step, of less than a millisecond once the spec is loaded. False: `slugs` are
 * in the order. Those that have no place in the course come last, as they came. */
bool course_order_step(struct course_order *o);

#endif
