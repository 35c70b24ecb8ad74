/*
 * The meaning of a problem on a kind of device: a hash over what can change a verdict or
 * a time there. Times of one meaning may be compared, and a board ranks only those.
 *
 * What counts:
 *   - of problem.json all keys but those that meaning.c lists as apart: the title,
 *     difficulty, tags, sources, accepts, every "about" and which tests are samples;
 *   - of "benchmark" only the device's own: a change of benchmark.emu leaves GPUs alone;
 *   - reference.c, reference.cu, inputs.c and checker.c, byte for byte;
 *   - the version of the clock or of the model, and of the judging.
 *
 * The order of keys, white space and the way to write a number are not part of it. A key
 * that is written out with its default's value is, because defaults are not looked up.
 * The toolkit, the driver, the GPU and its conditions are not part of it either: an
 * admin decides whether a board begins anew for them (daemon/meanings.h).
 *
 * The versions are raised in the same commit as the change that makes it necessary:
 *   - MEANING_JUDGING where an unchanged problem may give another verdict: its inputs are
 *     drawn, its outputs compared or its spec read in another way;
 *   - MEANING_CLOCK where a GPU's times move: other calls are timed or subtracted;
 *   - MEANING_MODEL where modelled times move. The tests of modelled times
 *     (test_ladders.py, test_model.py) then have to be changed, too.
 * A repair that moves only times of submissions that cheat needs none.
 */
#ifndef PROBLEM_MEANING_H
#define PROBLEM_MEANING_H

#include "base/buf.h"
#include "base/report.h"

#include <cjson/cJSON.h>

#define MEANING_JUDGING 1
#define MEANING_CLOCK 1
#define MEANING_MODEL 1

#define MEANING_BYTES 65 /* hexadecimal digits, with the NUL */

enum meaning_kind { MEANING_GPU, MEANING_EMU };

/* The meaning of the problem DIR/SLUG as its files are now. It fails where they cannot be
 * read; whether the spec is right is not looked at. */
int meaning_read(const char *dir, const char *slug, enum meaning_kind kind,
                 char out[MEANING_BYTES], struct report *r);

/* The files of a problem's folder that its meaning depends on; the last is NULL. */
extern const char *const meaning_files[];

/* Appends what counts of a problem.json, in one spelling: the text that is hashed. */
void meaning_of_spec(const cJSON *root, enum meaning_kind kind, struct buf *out);

#endif
