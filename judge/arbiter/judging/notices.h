/*
 * What was noticed in the functional tests though a GPU does not stop for it. Notices
 * change no verdict. The emulated GPU finds data races, divergent barriers and reads of
 * memory that was never written. notices_add adds what the arbiter itself finds.
 */
#ifndef ARBITER_JUDGING_NOTICES_H
#define ARBITER_JUDGING_NOTICES_H

#include "arbiter/judging/judgement.h"

/* Adds what the emulated GPU noticed to j->result.notices. That is a JSON array of
 * {"kind", "text", "file"?, "line"?, "other_file"?, "other_line"?}, or NULL if there are
 * none. -1: the device is lost. */
int notices_take(struct judgement *j, struct report *r);

/* Adds {"kind", "text"} to j->result.notices, if there is none of that kind yet. */
void notices_add(struct judgement *j, const char *kind, const char *text);

/* Adds what another tool has found, unless there is one of that kind and of the same
 * lines. Returns whether it was added. */
struct fault;
bool notices_add_fault(struct judgement *j, const struct fault *f);

#endif
