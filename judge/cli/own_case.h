/* The case of one's own that the flags of `run` describe (problem/own_case.h), and the
 * arrays that come back of it. */
#ifndef CLI_OWN_CASE_H
#define CLI_OWN_CASE_H

#include "cli/cli.h"

#include <cjson/cJSON.h>

/* The case that --size, --values, --seed and --dump describe, which the caller deletes.
 * *out is NULL where none of them is given. -1: a flag is wrong, or a file. */
int own_case_of_flags(const struct cli *cli, cJSON **out, struct report *r);

/* Asks for the arrays of a submission, and writes each into the folder of --dump, as
 * input-A.npy, output-C.npy and expected-C.npy. Says on standard error what it wrote.
 * Returns an exit status; 0 where all is written. */
int own_case_dump(struct cli *cli, long id);

#endif
