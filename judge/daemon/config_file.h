/*
 * The daemon's config file: lines KEY = VALUE, where each key is the name of an option of
 * `serve` without its dashes. An option without a value takes yes or no. Lines that begin
 * with # or ; are comments. Behind all keys there may be sections for a Slurm cluster
 * (slurm/settings.h).
 */
#ifndef DAEMON_CONFIG_FILE_H
#define DAEMON_CONFIG_FILE_H

#include "base/report.h"
#include "daemon/slurm/settings.h"
#include "record/serve_options.h"

struct config_file {
    char *value[SERVE_COUNT]; /* NULL: not there, or "no". "" for a "yes" */
    int line[SERVE_COUNT];    /* where it stands */
    struct slurm_settings slurm;
};

/* Reads a file. On failure the report names the file and the line. The caller frees. */
int config_file_read(const char *path, struct config_file *out, struct report *r);
void config_file_free(struct config_file *f);

#endif
