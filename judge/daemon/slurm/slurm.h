/*
 * Pilots: jobs of a Slurm cluster that judge for this daemon. Each is one
 * `warpjudge worker` with one GPU or two, which pulls work until it is idle or near its
 * time limit. What it judges is between it and the queue (daemon/workers.h). Here it is
 * only decided how many pilots there are, and Slurm's own commands are called for that.
 *
 *     squeue      which pilots are there           every `poll` seconds while there is
 *     scontrol    how one ended that is not        any work or pilot, and first of all
 *     sacct       the same, where scontrol has     after a start
 *                 forgotten it, and again after
 *                 each look until it is known
 *     sbatch      one more (plan.h)
 *     scancel     pilots that nobody needs
 *
 * They run one after another, each as a child of the daemon's. Nothing is started before
 * squeue has told what is there, so that a daemon that was killed finds its pilots again
 * and doubles none. It knows them by the job's name, which has a number of this judge
 * (HOME/slurm-id) and the group.
 *
 * When Slurm fails, nothing of the judge's fails: submissions wait, `status` has the
 * sentence, and the commands are tried again after a while.
 */
#ifndef DAEMON_SLURM_SLURM_H
#define DAEMON_SLURM_SLURM_H

#include "base/report.h"

#include <cjson/cJSON.h>

struct daemon;
struct slurm;

/* *out is NULL where the config file says nothing of Slurm. */
int slurm_new(struct daemon *d, struct slurm **out, struct report *r);

/* Cancels the pilots and revokes their tokens, before the daemon ends. It runs the event
 * loop meanwhile, for some seconds at most. */
void slurm_stop(struct slurm *s);

/* After children_free(). s may be NULL. */
void slurm_free(struct slurm *s);

/* Groups, pilots and troubles as the API shows them. */
cJSON *slurm_json(const struct slurm *s);

#endif
