/* What the files cgroup*.c share, and what sandbox.c asks of them. */
#ifndef SANDBOX_CGROUP_INTERNAL_H
#define SANDBOX_CGROUP_INTERNAL_H

#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"

#define CGROUP_TREES                                                                     \
    2 /* v1 has memory in one and pids in the other; v2 both in the first */

/* Where groups are made: a folder in each tree. version 0: nowhere. */
struct cgroup_place {
    int version;
    char *folder[CGROUP_TREES]; /* NULL: no such tree; owned */
};

/* Finds our own group, able to have children with controllers. root: "" (tests: a folder
 * that stands for it). -1: there is none, *why says why. */
int cgroup_find(const char *root, struct cgroup_place *out, struct report *why);
void cgroup_place_free(struct cgroup_place *p);

/* A group's file as text, which the caller frees; NULL where it cannot be read. */
char *cgroup_read(const char *folder, const char *file);

/* 0, or -1 with errno. */
int cgroup_write(const char *folder, const char *file, const char *text);

/* Makes the group of one sandbox, with s's limits, below what cgroups_begin has prepared
 * in this process or in one that started it. A sandbox without memory_bytes, or where
 * nothing is prepared, gets none: version 0, and success. */
int cgroup_make(const struct sandbox *s, struct cgroup_place *g, struct report *r);

/* Descriptors to which a process writes "0" to be in the group; -1 where there is none.
 * The caller closes them. */
int cgroup_entries(const struct cgroup_place *g, int fd[CGROUP_TREES], struct report *r);

/* Has the kernel killed a process of the group because its memory was used up? */
bool cgroup_out_of_memory(const struct cgroup_place *g);

/* Kills all of it and removes it. false: something in it does not die; it stays. */
bool cgroup_remove(struct cgroup_place *g);

#endif
