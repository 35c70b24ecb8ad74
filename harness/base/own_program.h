/* The program that runs: what it is called, and where it is. */
#ifndef BASE_OWN_PROGRAM_H
#define BASE_OWN_PROGRAM_H

#include "base/report.h"

/* Its name, without folders. */
const char *own_program_name(void);

/* The path of its file. NULL with the report set where it is not known. The caller
 * frees. */
char *own_program_path(struct report *r);

#endif
