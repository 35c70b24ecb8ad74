/* The words that shells complete beside verbs and flags: problems, their tags, and the
 * usual devices. Problems and tags are those of this installation when the completions
 * are made, so that a Tab asks no judge. */
#ifndef CLI_GENERATE_WORDS_H
#define CLI_GENERATE_WORDS_H

#include "cli/args.h"
#include "cli/cli.h"

/* Each is words with a blank between them, in order. */
struct generate_words {
    char *slugs, *tags; /* empty where there is no folder of problems */
};

int generate_words_read(const char *problems, struct generate_words *out,
                        struct report *r);
void generate_words_free(struct generate_words *w);

/* What the value of a flag may be, or what a verb's arguments may be. NULL: anything. */
const char *generate_words_of_flag(const struct generate_words *w, enum flag flag);
const char *generate_words_of_verb(const struct generate_words *w,
                                   const struct verb *verb);

#endif
