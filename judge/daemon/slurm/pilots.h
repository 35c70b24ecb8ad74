/* The pilots that Slurm knows, as the last look at its queue has found them. */
#ifndef DAEMON_SLURM_PILOTS_H
#define DAEMON_SLURM_PILOTS_H

#include "daemon/slurm/answer.h"
#include "daemon/slurm/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pilot {
    int64_t id;
    int group;    /* its place in the settings; -1: the file has no such group any more */
    bool pending; /* it waits in Slurm's queue */
    bool cancelled; /* we have ended it */
    bool ending;    /* it has ended, and its node is not free yet */
    bool seen;      /* by the look that is under way */
    int64_t token;
    uint64_t gone_ns;  /* when a look has not found it any more; 0: it has */
    uint64_t asked_ns; /* when Slurm was asked last how it ended */
    char node[SLURM_WORD_MAX], reason[SLURM_WORD_MAX];
};

struct pilots {
    struct pilot *row;
    size_t count, cap;
};

/* A look begins. */
void pilots_unsee(struct pilots *p);

/* Takes a job of squeue's, or one that sbatch has just made. */
void pilots_see(struct pilots *p, const struct squeue_job *job, int group);

/* Takes out one that the look has not seen: it is over. */
bool pilots_take_gone(struct pilots *p, struct pilot *out);

/* How many pilots of the group wait, or have begun. Those that end do not count. */
int pilots_of(const struct pilots *p, int group, bool pending);
bool pilots_have_token(const struct pilots *p, int64_t token);
const struct pilot *pilots_find(const struct pilots *p, int64_t id);
void pilots_free(struct pilots *p);

#endif
