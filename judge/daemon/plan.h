/*
 * The fair order of the queue. Private to queue.c.
 *
 * What is judged or was judged stands in front and stays as it is. What is judged again
 * comes next, then what is prepared. The others wait in the order of what their person
 * will have used of the devices by then: in the last hour, and by those that go before.
 * Of one person `run` goes before `submit`, and then the older before the younger; so it
 * is for several persons who have used equally much.
 *
 * What is graded in bulk waits behind all of these, in the same order among itself, and
 * what is judged in idle time (idle.h) behind that.
 *
 * A person who submits twelve at once therefore does not delay another by more than the
 * one that is judged already.
 */
#ifndef DAEMON_PLAN_H
#define DAEMON_PLAN_H

struct attempt;

/* Sorts a list anew. *end becomes the place behind its last. */
void plan_sort(struct attempt **first, struct attempt ***end);

#endif
