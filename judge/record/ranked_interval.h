/*
 * The ranked interval: how much of its time's interval counts when an entry is ranked.
 *
 * An author can scatter a submission's times on purpose: a kernel that works longer for
 * some inputs has a wide interval. If all of it counted, its lower end could reach a
 * faster leader, and its upper end could let slower entries share its rank. So no more of
 * an interval counts than the limits below. The store keeps the whole interval, and that
 * is what is shown.
 *
 * Below the time, at most 2% of it count. That is the part by which a GPU may differ from
 * its usual speed before a judgement is repeated (calibration.h). This end is to the
 * entry's own advantage, so that it has the stricter limit.
 *
 * Above the time, at most 10% of it count, or ten times what the whole interval reaches
 * below the time. This end changes the entry's own rank by nothing. It must suffice for
 * an equal submission that was judged once, where this one is the best of fifty
 * judgements. Times that differ by much for honest reasons differ to both sides. A
 * kernel that only wastes time in some calls scatters upwards, and reaches 10% at most.
 *
 * On a GPU 2 us count in any case, on both sides. There a short time is less sure: from
 * one judgement to the next it differs by up to a microsecond (standard deviation;
 * docs/measurements/clock.md).
 *
 * A ranked interval follows from the entry's own time, interval and kind of device. So
 * the order of a board, and that its groups are contiguous, are those of rank.h.
 */
#ifndef RECORD_RANKED_INTERVAL_H
#define RECORD_RANKED_INTERVAL_H

#include "record/rank.h"

#define RANKED_BELOW 0.02 /* of the time */
#define RANKED_ABOVE 0.10
#define RANKED_ABOVE_TIMES 10 /* what the interval reaches below the time */
#define RANKED_GPU_NS 2000    /* in any case, on a GPU */

/* The time with its ranked interval, on a board of this kind of device: "emu", or the
 * name of a GPU. */
struct measured ranked_interval(const struct measured *m, const char *device);

/* How a time compares with one before it on the same board: as ranks are decided, by
 * whether the ranked intervals overlap. */
enum ranked_order { RANKED_FASTER, RANKED_SLOWER, RANKED_UNSURE };
enum ranked_order ranked_compare(const struct measured *before,
                                 const struct measured *after, const char *device);

#endif
