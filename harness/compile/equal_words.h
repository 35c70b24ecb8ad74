/* Private to equal*.c: which words of a source stay as they are. */
#ifndef COMPILE_EQUAL_WORDS_H
#define COMPILE_EQUAL_WORDS_H

#include "compile/equal_pieces.h"

/* Is it a keyword, or a name of CUDA, or one that begins as theirs do? */
bool word_is_known(const struct slice *s);

#endif
