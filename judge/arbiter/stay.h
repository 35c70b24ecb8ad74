/*
 * An arbiter that stays. It takes job folders one after another, and is in every other
 * way the arbiter of one. record/job.h has the lines that it reads and prints.
 *
 * What it keeps from one judgement for the next is its stock (judging/stock.h). On a GPU
 * that is its own context, and the process of the reference with another.
 * Everything else of a judgement is freed before the next one is read: the submission's
 * runner and its sandbox, buffers, seeds and answers. So a submission has a process, a
 * sandbox and memory that no other has had.
 *
 * It stays only where nothing was odd. After a failure of ours, a runtime error, or any
 * other verdict than "accepted" and "wrong answer", it ends as the arbiter of one does.
 * Its stock ends with it. It also ends where a process that it has started is left.
 *
 * A submission may be cancelled, or turn out not to compile, while it is prepared. Then
 * the arbiter is told to drop it, and stays: nothing of the submission was loaded. If the
 * preparation had failed, it ends.
 */
#ifndef ARBITER_STAY_H
#define ARBITER_STAY_H

/* Judges until the daemon closes the standard input, until something was odd, or until
 * `most` are judged. What was dropped counts among these. Returns the exit status. */
int stay_and_judge(int most);

#endif
