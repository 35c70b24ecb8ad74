/* The texts that are compiled instead of the files of users and authors. The caller frees
 * each of them. */
#ifndef COMPILE_WRAPPER_H
#define COMPILE_WRAPPER_H

#include "compile/compile.h"

/* The wrapper's own checks begin their messages with it. */
#define WRAPPER_MARK "warpjudge: "

/* The whole text for t's kind and role; it includes the source. */
char *target_wrapper(const struct target *t);

/* The wrapper of a reference in C. */
char *compile_c_wrapper(const struct target *t);

/* The wrappers of inputs.c and checker.c (author.c). */
char *compile_inputs_wrapper(const struct function *f, const char *file_name);
char *compile_checker_wrapper(const struct function *f, const char *file_name);

/* The file that a user includes with #include "solve.h". */
char *compile_solve_header(const struct function *f);

#endif
