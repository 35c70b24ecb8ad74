/* One judgement of a submission, from its folder to its end. */
#ifndef ARBITER_SUBMISSION_H
#define ARBITER_SUBMISSION_H

#include "arbiter/judging/stock.h"

#include <stdbool.h>

/* Judges what is in the folder, and leaves a result in it or nothing. With `ahead` it is
 * prepared beside another judgement. The stock is NULL in an arbiter that judges once.
 * Returns whether the judgement has ended well, or was dropped before it began, so that
 * this process may judge another. On a GPU the process has ended otherwise, where it had
 * come to a result. */
bool judge_submission(const char *folder, bool ahead, struct stock *stock);

#endif
