/* A submission's listing: its code by source line, and what ptxas says of its kernels. */
#ifndef COMPILER_LISTING_H
#define COMPILER_LISTING_H

#include "compile/compile.h"

#include <cjson/cJSON.h>

/* What is wanted of a listing. */
struct listing_wanted {
    enum listing_form form;
    size_t bytes; /* of instructions, at most (listing_code.h) */
};

/* What docs/http-api.md calls an assembly, of a source that compiles. `file` is its name
 * in the code. `arch` is what ptxas made machine code for ("sm_90a"). The caller deletes
 * it. */
cJSON *listing_json(const struct listing *l, const struct listing_wanted *wanted,
                    const char *source, const char *file, const char *arch);

/* The word for a form, in requests and answers. */
const char *listing_form_name(enum listing_form form);
/* -1 for another word. */
int listing_form_parse(const char *word, enum listing_form *out);
/* -1 where the word is no number from 1 on. */
int listing_bytes_parse(const char *word, size_t *out);

#endif
