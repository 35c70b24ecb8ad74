/*
 * The line of a device: its submissions in the order in which they get it, without those
 * that only leave. Private to queue.c.
 *
 * A device has a width: how many submissions this machine judges there at a time. A GPU's
 * is 1. On emu
 * each submission has an emulated GPU of its own, so that several may be judged beside
 * each other. The first of a line, as many as its width, are its front. Only these get
 * the device.
 */
#ifndef DAEMON_LINE_H
#define DAEMON_LINE_H

#include <stdbool.h>

struct attempt;
struct worker_board;

#define LINE_WIDTH_MAX 64

struct line {
    struct line *next;
    char *device;
    int width; /* 0: only workers judge for it */
    bool gone; /* this machine had the device; only what compiles sets and reads it */
    struct worker_board *workers; /* that judge for the device's board */
    /* The front and the one after it, in their order; as many as there are. */
    const struct attempt *front[LINE_WIDTH_MAX + 1];
    int front_count;
    /* queue_step_devices() sets these. A holder's arbiter has the device, or gets it
     * next. */
    const struct attempt *holder[LINE_WIDTH_MAX];
    int held;
    int leaving;       /* arbiters that have judged there and are still ending */
    int waiting;       /* how many are not RUNNING yet */
    int compiled;      /* of these, those that are compiled or being compiled */
    int waiting_pairs; /* the same of those that only a worker with two GPUs can judge */
    bool idle_pair;    /* one of these is judged in idle time, and waits */
    double wait_ms;    /* until all of these have been judged, one after the other */
    double cost_ms[2]; /* what a submit and a run have used lately */
};

/* The device's line out of a list, which gets one where there is none. A line is kept
 * when its device is gone; it takes a kilobyte. */
struct line *line_find(struct line **list, const char *device, int width);
void lines_free(struct line *list);

/* Forgets its submissions, and takes them in one by one in the fair order (plan.h). */
void line_clear(struct line *line);
void line_take_in(struct line *line, const struct attempt *a);

/* How long all that wait there take, with everybody who judges for the line. */
double line_wait_ms(const struct line *line);

/* Could one more be judged there at once? */
bool line_has_place(const struct line *line);

bool line_has_in_front(const struct line *line, const struct attempt *a);

/* The submission that comes first behind the front, or NULL. */
const struct attempt *line_next(const struct line *line);

/* On a device for several the one of the front that is judged again and is therefore
 * alone there; otherwise NULL. */
const struct attempt *line_alone(const struct line *line);

/* Forgets the holders, and notes anew what each arbiter is to the device: it leaves, or
 * holds a place there, or only prepares. */
void line_forget_holders(struct line *line);
void line_note_arbiter(struct line *line, const struct attempt *a);

/* Does the device belong to this attempt? It takes a place that nobody holds. */
bool line_take(struct line *line, const struct attempt *a);

/* Does one of the holders have its place beside an arbiter that is still ending there? */
bool line_is_being_left(const struct line *line);

#endif
