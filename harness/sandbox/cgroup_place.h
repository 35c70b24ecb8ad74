/* The control group of one sandbox: cgroup.c makes and removes it, cgroup_find.c finds
 * where groups can be, sandbox.c uses it. */
#ifndef SANDBOX_CGROUP_PLACE_H
#define SANDBOX_CGROUP_PLACE_H

#include "sandbox/cgroup.h"
#include "sandbox/sandbox.h"

#define CGROUP_TREES                                                                     \
    2 /* v1: memory in the first tree, pids in the second; v2: both in the first */

/* A group, or the place where groups are made: its folder in each tree. version 0: none.
 */
struct cgroup_place {
    int version;
    char *folder[CGROUP_TREES]; /* NULL: no such tree; owned */
};

/* Finds our own group and makes it able to have children with controllers. root is "", or
 * in tests a folder that stands for the root. Returns -1 if there is none, and *why then
 * says why. cgroup_place_free frees *out. */
int cgroup_find(const char *root, struct cgroup_place *out, struct report *why);
void cgroup_place_free(struct cgroup_place *p);

/* The text of a group's file, which the caller frees, or NULL if it cannot be read. */
char *cgroup_read(const char *folder, const char *file);

/* Writes text to a group's file. Returns 0, or -1 with errno. */
int cgroup_write(const char *folder, const char *file, const char *text);

/* Makes the group of one sandbox, with the limits of s, in the place that cgroups_begin
 * has prepared in this process or in one that started it. If s has no memory_bytes or
 * nothing is prepared, it makes none: *g gets version 0, and the call succeeds. The
 * caller ends a group with cgroup_remove. */
int cgroup_make(const struct sandbox *s, struct cgroup_place *g, struct report *r);

/* Opens the descriptors to which a process writes "0" to join the group. The caller
 * closes them; -1 stands where there is none. */
int cgroup_entries(const struct cgroup_place *g, int fd[CGROUP_TREES], struct report *r);

/* Has the kernel killed a process of the group because the group's memory was used up? If
 * the whole machine's was, that is not this group's doing, and the answer is no. */
bool cgroup_out_of_memory(const struct cgroup_place *g);

/* Kills all processes of the group and removes it. Returns false if something in it does
 * not die, and the group stays; *g is freed either way. */
bool cgroup_remove(struct cgroup_place *g);

#endif
