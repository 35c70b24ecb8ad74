/*
 * What the emulated GPU noticed in the functional tests though a GPU lets it pass: data
 * races, divergent barriers, reads of memory that was never written. They change no
 * verdict.
 */
#ifndef ARBITER_JUDGING_NOTICES_H
#define ARBITER_JUDGING_NOTICES_H

#include "arbiter/judging/judgement.h"

/* Into j->result.notices: a JSON array of {"kind", "text", "file"?, "line"?,
 * "other_file"?, "other_line"?}; NULL where there are none, and on a GPU. -1: the device
 * is lost. */
int notices_take(struct judgement *j, struct report *r);

#endif
