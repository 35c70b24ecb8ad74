/*
 * What was noticed in the functional tests though a GPU lets it pass. They change no
 * verdict. The emulated GPU finds data races, divergent barriers and reads of memory that
 * was never written; the arbiter itself finds what it adds with notices_add.
 */
#ifndef ARBITER_JUDGING_NOTICES_H
#define ARBITER_JUDGING_NOTICES_H

#include "arbiter/judging/judgement.h"

/* Adds what the emulated GPU noticed to j->result.notices: a JSON array of {"kind",
 * "text", "file"?, "line"?, "other_file"?, "other_line"?}, or NULL where there are none.
 * -1: the device is lost. */
int notices_take(struct judgement *j, struct report *r);

/* Adds {"kind", "text"} to j->result.notices, if there is none of that kind yet. */
void notices_add(struct judgement *j, const char *kind, const char *text);

#endif
