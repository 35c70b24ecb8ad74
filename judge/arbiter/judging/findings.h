/*
 * What went wrong as data, beside the sentences (explain.h). It tells what these tell and
 * no more. docs/http-api.md has the members of each object.
 */
#ifndef ARBITER_JUDGING_FINDINGS_H
#define ARBITER_JUDGING_FINDINGS_H

#include "arbiter/judging/explain.h"
#include "arbiter/judging/outcome.h"
#include "arbiter/judging/outputs.h"
#include "emulator/emulator.h"

/* Each takes effect once, for what decides the verdict. */
void findings_add_mismatch(struct outcome *o, const struct mismatch *m);
void findings_add_refusal(struct outcome *o, const struct param *param,
                          const struct extent *extent,
                          const struct outputs_finding *finding);
void findings_add_fault(struct outcome *o, const struct fault *f);

/* Says in which test the failure was, if there is one. */
void findings_name_test(struct outcome *o, int number, const char *sizes);

/* An element as a number where JSON has it, and else as the text that a person reads. It
 * points to dtype_size(type) bytes. The caller owns the item. */
struct cJSON *findings_value(enum dtype type, const void *element);

/* The kind of a fault as programs read it, as in "race". */
const char *findings_kind(enum fault_kind kind);

/* Adds the lines of a fault, and of its other side, where they are known. */
void findings_add_lines(struct cJSON *o, const struct fault *f);

/* The outcome's data as JSON for result.json, which the caller frees; NULL: none. */
char *findings_text(const struct outcome *o);

#endif
