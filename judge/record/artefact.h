/*
 * What a worker that only compiles makes of a submission: the files of a job's folder
 * that the judgement needs, as one text. The daemon keeps the text for one attempt, and
 * sends it to the worker that judges (daemon/attempt_lease.h).
 *
 * The text is a JSON object. It says what it was made of and by what, so that an artefact
 * of another attempt, or of another toolkit, is refused by everybody who gets it:
 *
 *     {"format", "submission", "attempt", "source": SHA-256, "arch", "toolkit", "linked",
 *      "files": [{"name", "base64"}]}
 *
 * Its files are as little believed as the source that they come from. They are loaded by
 * a runner in its sandbox, and read by the emulated GPU in its own, and go into no cache.
 */
#ifndef RECORD_ARTEFACT_H
#define RECORD_ARTEFACT_H

#include "base/buf.h"
#include "base/report.h"

#include <stddef.h>
#include <stdint.h>

#define ARTEFACT_BYTES_MAX ((size_t)8 << 20) /* of the files together */
#define ARTEFACT_TEXT_MAX ((size_t)11 << 20) /* base64 takes a third more */
#define ARTEFACT_HASH_BYTES 65               /* SHA-256 in hexadecimal, and the NUL */

/* What an artefact was made of, and by what. */
struct artefact_origin {
    int64_t submission;
    int64_t attempt;
    char source[ARTEFACT_HASH_BYTES]; /* of the submission's bytes */
    const char *arch;                 /* "compute_80", "sm_90a" */
    const char *toolkit; /* its version; NULL, to compare with: it does not matter */
    const char *linked;  /* compile_linked_with() of harness/compile/linked.h */
};

/* Packs what was compiled in a job's folder. A failure's report says what is too large,
 * or cannot be read. */
int artefact_pack(const char *folder, const struct artefact_origin *origin,
                  struct buf *out, struct report *r);

/* Is it an artefact of this origin, with files of names and sizes that it may have? The
 * bytes of the files are not looked at. */
int artefact_check(const char *text, size_t len, const struct artefact_origin *origin,
                   struct report *r);

/* Checks the text, and writes its files into a job's folder, where none of them may be.
 * What was written stays where it fails. */
int artefact_unpack(const char *text, size_t len, const struct artefact_origin *origin,
                    const char *folder, struct report *r);

#endif
