/*
 * Rights: who may do what. Each route states its need (routes.c), and rights_check()
 * decides whether an identity meets it. What depends on one submission is decided here,
 * too. Nothing else in the daemon looks at a role or a scope.
 *
 * A token's scopes bound what its account may do. Without the scope admin it has no more
 * rights than a member's.
 */
#ifndef DAEMON_RIGHTS_H
#define DAEMON_RIGHTS_H

#include "base/report.h"
#include "daemon/identity.h"
#include "daemon/worker_request.h"
#include "problem/problem.h"
#include "record/groups.h"

#include <stdbool.h>

struct daemon;
struct submission;

/*       enumerator  who may call the route */
#define NEEDS(X)                                                                         \
    X(NOTHING) /* everybody: it shows what is public, or leaves the rest out */          \
    X(JOIN)    /* everybody: an invitation, a password or a reset code decides */        \
    X(ACCOUNT) /* who has an account, for what is its own */                             \
    X(LOGIN)   /* the same with a session, or a token that has all scopes */             \
    X(SUBMIT)  /* who has a name and the scope submit; with --open everybody */          \
    X(SOURCE)  /* who may see the submission's source (rights_see_source()) */           \
    X(PREVIEW) /* the staff, and who has the preview's key (previews.h) */               \
    X(GROUP) /* who has signed in: rights_in_group() decides in the route's function */  \
    X(METRICS) /* the staff, with any token that has the scope read */                   \
    X(WORKER)  /* a worker: an admin's token of the scope worker, and no other */        \
    X(STAFF)                                                                             \
    X(ADMIN)

enum need {
#define X(name) NEED_##name,
    NEEDS(X)
#undef X
};

/*       enumerator  name         who may join by POST /api/accounts */
#define REGISTRATIONS(X)                                                                 \
    X(OFF, "off")       /* there are no accounts */                                      \
    X(CLOSED, "closed") /* the first admin only */                                       \
    X(INVITATION, "invitation")                                                          \
    X(OPEN, "open")

enum registration {
#define X(name, text) REGISTRATION_##name,
    REGISTRATIONS(X)
#undef X
};

struct policy {
    bool open; /* --open: over TCP everybody may submit, under any name without account */
    enum registration registration;
    enum sources sources; /* --sources: of every problem; its spec may say more */
    /* What a member may use; 0: any amount. */
    int64_t per_hour;     /* --quota: submissions in an hour */
    int64_t in_flight;    /* --quota-in-flight: submissions that are not done */
    int64_t device_s_day; /* --quota-device-seconds: of devices, in 24 hours */
};

/* -1 for another word. */
int registration_parse(const char *word, enum registration *out);

/* Returns 0; or 401 or 403 with the sentence for the sender. NEED_SOURCE and
 * NEED_PREVIEW are met here by everybody: the route's function asks rights_see_source()
 * when it has the submission, and for the preview's key. */
int rights_check(const struct policy *p, const struct identity *who, enum need need,
                 struct report *r);

/* May a worker of this identity's token be a worker of this role? Returns 0, or the HTTP
 * status of the refusal. It is asked at each call of the worker's, since a machine that
 * was taken over says of itself what it likes. */
int rights_work_as(const struct identity *who, enum worker_role role, struct report *r);

/* May this identity make a token of these scopes? */
bool rights_may_make_scopes(const struct identity *who, unsigned scopes,
                            struct report *r);

/* Says who may see sources of the problem: by its spec or by the policy, whichever lets
 * more see them. Where the problem is gone, or its spec is broken, it is by the policy.
 */
enum sources rights_sources(struct daemon *d, const char *problem);

/* May this identity see the source of the submission, and what quotes it: messages,
 * tests, costs by line? -1 where the store fails. */
int rights_see_source(struct daemon *d, const struct identity *who,
                      const struct submission *sub, bool *may, struct report *r);

/* What may this identity do in a group where its account has this standing? A group is
 * not told of to people who are not in it. An admin may do what its teacher may, and
 * a token without the scope admin teaches nowhere. */
enum standing_in_group rights_in_group(const struct identity *who,
                                       enum standing_in_group standing);

/* Does it see every problem, also one that is hidden (hiding.h)? */
bool rights_all_problems(const struct identity *who);

/* Do its rights as a teacher count? A token without the scope admin teaches nowhere. */
bool rights_teaches(const struct identity *who);

/* Is this user's what it may see, because it is its own? */
bool rights_is_user(const struct identity *who, const char *user);

/* May this identity see all groups, and give a new one to another teacher? */
bool rights_all_groups(const struct identity *who);

/* The same without the question whether the problem was solved, which takes a query. */
bool rights_own_source(struct daemon *d, const struct identity *who,
                       const struct submission *sub);

/* May this identity see what this user has graded in bulk? The staff may, and who it is.
 * NULL: anybody's. To others it is as if it were not there. */
bool rights_see_graded(const struct identity *who, const char *user);

/* May this identity see who has sent equal work? The staff may, and nobody else. */
bool rights_see_equal(const struct identity *who);

/* May this identity see the jobs and nodes of a cluster? The staff may. */
bool rights_see_cluster(const struct identity *who);

/* Has it no quotas? Guests have the quota of the name that they use.
 */
bool rights_has_no_quota(const struct identity *who);

/* May it grade in bulk? Returns 0, or the HTTP status of the refusal. The scope bulk is
 * for what is more than a person sends: beyond quotas, and in bulk. A program that grades
 * needs no scope admin for it, because it must not be able to do more than that. */
int rights_grade(const struct identity *who, struct report *r);

/* May it cancel the submission? The staff may, and whoever may submit under the owner's
 * name. `asked` is the name that the sender claims, or NULL. Returns 0, or the HTTP
 * status of the refusal. */
int rights_cancel(struct daemon *d, const struct identity *who, const char *asked,
                  const struct submission *sub, struct report *r);

/* Under which name may it submit, if it asks for `asked`, which may be NULL? Returns 0
 * and fills `name`; or the HTTP status of the refusal. The name is not checked otherwise.
 */
int rights_submit_name(struct daemon *d, const struct identity *who, const char *asked,
                       char name[USER_BYTES_MAX + 1], struct report *r);

#endif
