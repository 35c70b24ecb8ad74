/*
 * A judgement in the foreground, without a daemon: a job folder, warpjudge-compile and
 * warpjudge-arbiter. `problem check` and `rerun` use it. Several threads may.
 */
#ifndef CLI_JOB_RUN_H
#define CLI_JOB_RUN_H

#include "base/buf.h"
#include "base/config.h"
#include "base/report.h"
#include "record/job.h"

/* Makes a new folder below `scratch` with this job.json, which job_run_close removes.
 * NULL where that failed. */
char *job_run_open(const char *scratch, const struct job *job, struct report *r);
void job_run_close(char *folder); /* may be NULL */

/* Runs libexec/NAME [flag] FOLDER with `input` on its standard input. -1 unless its exit
 * status was 0. flag may be NULL. */
int job_run_program(const struct config *c, const char *name, const char *flag,
                    const char *folder, const char *input, struct report *r);

/* Compiles the submission and, unless compile_only or it does not compile, judges it. The
 * caller frees what was compiled and the result. */
int job_run_judge(const struct config *c, const char *folder, const struct buf *source,
                  bool compile_only, struct compile_result *compiled,
                  struct result *result, struct report *r);

/* The architecture for which nvcc compiles on a device, which the caller frees. NULL
 * where there is no such device. */
char *job_run_arch(const struct config *c, const char *device, struct report *r);

#endif
