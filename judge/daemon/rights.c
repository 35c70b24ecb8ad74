#include "daemon/rights.h"

#include "daemon/daemon.h"
#include "daemon/specs.h"
#include "record/store.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const REGISTRATION_NAMES[] = {
#define X(name, text) text,
    REGISTRATIONS(X)
#undef X
};

int
registration_parse(const char *word, enum registration *out)
{
    /* "off" is what is there without the flag. */
    for (int i = REGISTRATION_CLOSED; i <= REGISTRATION_OPEN; i++)
        if (strcmp(REGISTRATION_NAMES[i], word) == 0) {
            *out = (enum registration)i;
            return 0;
        }
    return -1;
}

/* The role that counts: without the scope admin, at most a member's. */
static enum role
rights_role(const struct identity *who)
{
    return (who->scopes & SCOPE_ADMIN) == 0 && who->role > ROLE_MEMBER ? ROLE_MEMBER
                                                                       : who->role;
}

static int
refuse_guest(const struct policy *p, struct report *r)
{
    if (p->registration == REGISTRATION_OFF)
        report_fail(r, "this needs to know who asks: use the judge's Unix socket on its "
                       "own machine (without WARPJUDGE_URL), or start it with `serve "
                       "--registration` for accounts, or with --open");
    else
        report_fail(r, "this needs an account: `warpjudge login URL` signs in");
    return 401;
}

static int
refuse_scope(const char *scope, struct report *r)
{
    report_fail(r, "this token has not the scope %s", scope);
    return 403;
}

static int
check_role(const struct identity *who, enum role least, struct report *r)
{
    if (rights_role(who) >= least)
        return 0;
    if (who->role >= least)
        return refuse_scope("admin", r);
    report_fail(r, "only %s may do this",
                least == ROLE_STAFF ? "the staff and admins" : "an admin");
    return 403;
}

static int
check_account(const struct identity *who, struct report *r)
{
    if (who->account != 0)
        return 0;
    report_fail(r,
                "%s has no account here: `warpjudge admin invite %s` makes an "
                "invitation to one",
                who->name, who->name);
    return 403;
}

/* The metrics name nobody, but tell how busy the judge is and which caps it is at, which
 * helps whoever wants to fill it. So they are the staff's. A program that reads them
 * every few seconds must not be able to do more than that. Its token therefore needs the
 * scope read alone. Where it asks from decides nothing, because a proxy on this machine
 * asks for everybody. With --open nothing is hidden. */
static int
check_metrics(const struct identity *who, struct report *r)
{
    if (who->role < ROLE_STAFF)
        return check_role(who, ROLE_STAFF, r);
    return (who->scopes & SCOPE_READ) != 0 ? 0 : refuse_scope("read", r);
}

enum standing_in_group
rights_in_group(const struct identity *who, enum standing_in_group standing)
{
    if (rights_role(who) == ROLE_ADMIN)
        return IN_GROUP_TEACHER;
    return standing == IN_GROUP_TEACHER && !rights_teaches(who) ? IN_GROUP_MEMBER
                                                                : standing;
}

bool
rights_all_groups(const struct identity *who)
{
    return rights_role(who) == ROLE_ADMIN;
}

bool
rights_all_problems(const struct identity *who)
{
    return rights_role(who) >= ROLE_STAFF && (who->scopes & SCOPE_READ) != 0;
}

bool
rights_teaches(const struct identity *who)
{
    return (who->scopes & SCOPE_ADMIN) != 0;
}

bool
rights_is_user(const struct identity *who, const char *user)
{
    return who->role != ROLE_GUEST && strcmp(who->name, user) == 0;
}

/* What a worker judges becomes the verdict, so that only an admin lets one in. A program
 * on a node that others use must not be able to do anything else with its token. */
static int
check_worker(const struct identity *who, struct report *r)
{
    if (who->scopes != SCOPE_WORKER) {
        report_fail(r, "only a worker's token may do this: an admin makes one by "
                       "`warpjudge token new NAME --scopes worker`");
        return 403;
    }
    if (who->role < ROLE_ADMIN) {
        report_fail(r, "%s is no admin any more, whose workers judge here", who->name);
        return 403;
    }
    return 0;
}

int
rights_work_as(const struct identity *who, enum worker_role role, struct report *r)
{
    static const unsigned BITS[] = {
        [WORKER_JUDGES] = TOKEN_JUDGES, [WORKER_COMPILES] = TOKEN_COMPILES};

    if ((who->worker_roles & BITS[role]) != 0)
        return 0;
    report_fail(r,
                "the workers of this token may not %s: an admin makes another one by "
                "`warpjudge token new NAME --scopes worker --role %s`",
                worker_role_name(role), worker_role_name(role));
    return 403;
}

static int
refuse_worker(struct report *r)
{
    report_fail(r, "this is a worker's token, which can judge and do nothing else");
    return 403;
}

bool
rights_may_make_scopes(const struct identity *who, unsigned scopes, struct report *r)
{
    if ((scopes & SCOPE_WORKER) == 0)
        return true;
    if (scopes != SCOPE_WORKER) {
        report_fail(r, "the scope worker stands alone: make another token for the rest");
        return false;
    }
    if (rights_role(who) >= ROLE_ADMIN)
        return true;
    report_fail(r, "only an admin may make a token of the scope worker");
    return false;
}

int
rights_check(const struct policy *p, const struct identity *who, enum need need,
             struct report *r)
{
    if (who->scopes == SCOPE_WORKER && need != NEED_WORKER)
        return refuse_worker(r);
    if (need == NEED_NOTHING || need == NEED_JOIN || need == NEED_SOURCE ||
        need == NEED_PREVIEW ||
        ((need == NEED_SUBMIT || need == NEED_METRICS) && p->open &&
         who->role == ROLE_GUEST))
        return 0;
    if (who->role == ROLE_GUEST)
        return refuse_guest(p, r);
    switch (need) {
    case NEED_SUBMIT:
        return (who->scopes & SCOPE_SUBMIT) != 0 ? 0 : refuse_scope("submit", r);
    case NEED_ACCOUNT:
        return check_account(who, r);
    case NEED_LOGIN:
        if (who->scopes == SCOPES_ALL)
            return check_account(who, r);
        report_fail(r, "only a token of `warpjudge login`, with all scopes, may do this");
        return 403;
    case NEED_GROUP:
        return (who->scopes & SCOPE_READ) != 0 ? 0 : refuse_scope("read", r);
    case NEED_METRICS:
        return check_metrics(who, r);
    case NEED_WORKER:
        return check_worker(who, r);
    case NEED_STAFF:
        return check_role(who, ROLE_STAFF, r);
    case NEED_ADMIN:
    default:
        return check_role(who, ROLE_ADMIN, r);
    }
}

enum sources
rights_sources(struct daemon *d, const char *problem)
{
    enum sources own;

    /* No problem can say more, so that its file is not looked at. */
    if (d->policy.sources == SOURCES_PUBLIC)
        return SOURCES_PUBLIC;
    own = specs_sources(d->specs, problem);
    return own > d->policy.sources ? own : d->policy.sources;
}

/* May they see the source whatever is said of the problem's? */
static bool
rights_is_own_or_staff(const struct identity *who, const struct submission *sub)
{
    return (who->scopes & SCOPE_READ) != 0 &&
           (rights_role(who) >= ROLE_STAFF || rights_is_user(who, sub->user));
}

bool
rights_own_source(struct daemon *d, const struct identity *who,
                  const struct submission *sub)
{
    return rights_is_own_or_staff(who, sub) ||
           rights_sources(d, sub->problem) == SOURCES_PUBLIC;
}

int
rights_see_source(struct daemon *d, const struct identity *who,
                  const struct submission *sub, bool *may, struct report *r)
{
    const enum sources sources = rights_sources(d, sub->problem);

    *may = rights_is_own_or_staff(who, sub) || sources == SOURCES_PUBLIC;
    if (*may || sources != SOURCES_SOLVED || who->role == ROLE_GUEST ||
        (who->scopes & SCOPE_READ) == 0)
        return 0;
    return store_has_solved(d->store, who->name, sub->problem, may, r);
}

bool
rights_see_graded(const struct identity *who, const char *user)
{
    return (who->scopes & SCOPE_READ) != 0 &&
           (rights_role(who) >= ROLE_STAFF ||
            (user != NULL && rights_is_user(who, user)));
}

bool
rights_see_equal(const struct identity *who)
{
    return rights_role(who) >= ROLE_STAFF;
}

bool
rights_see_cluster(const struct identity *who)
{
    return rights_role(who) >= ROLE_STAFF;
}

bool
rights_has_no_quota(const struct identity *who)
{
    return rights_role(who) >= ROLE_STAFF && (who->scopes & SCOPE_BULK) != 0;
}

int
rights_grade(const struct identity *who, struct report *r)
{
    if (who->role < ROLE_STAFF)
        return check_role(who, ROLE_STAFF, r);
    return (who->scopes & SCOPE_BULK) != 0 ? 0 : refuse_scope("bulk", r);
}

int
rights_submit_name(struct daemon *d, const struct identity *who, const char *asked,
                   char name[USER_BYTES_MAX + 1], struct report *r)
{
    struct account account;
    bool found = false, active;

    if (asked == NULL && who->name[0] == '\0') {
        report_fail(r, "user is missing: say who submits");
        return 400;
    }
    if (asked == NULL || strcasecmp(asked, who->name) == 0) {
        snprintf(name, USER_BYTES_MAX + 1, "%s", who->name);
        return 0;
    }
    if (who->role != ROLE_GUEST && rights_role(who) != ROLE_ADMIN) {
        report_fail(r,
                    "you are %s here: only an admin may submit under another name "
                    "(\"%.64s\")",
                    who->name, asked);
        return 403;
    }
    if (store_account(d->store, asked, &found, &account, r) != 0)
        return 500;
    active = found && account.state != ACCOUNT_UNCLAIMED;
    if (found && account.deleted_ms != 0) {
        report_fail(r, "%s is an account that was deleted", account.name);
        account_free(&account);
        return 403;
    }
    snprintf(name, USER_BYTES_MAX + 1, "%s", active ? account.name : asked);
    if (found)
        account_free(&account);
    if (!active || who->role != ROLE_GUEST)
        return 0;
    report_fail(r, "the name %s belongs to an account: `warpjudge login` signs in", name);
    return 403;
}

int
rights_cancel(struct daemon *d, const struct identity *who, const char *asked,
              const struct submission *sub, struct report *r)
{
    char name[USER_BYTES_MAX + 1];
    int status;

    if (rights_role(who) >= ROLE_STAFF)
        return 0;
    status = rights_submit_name(d, who, asked, name, r);
    if (status != 0 || strcmp(name, sub->user) == 0)
        return status;
    report_fail(r, "submission %lld is another's: its owner and the staff may cancel it",
                (long long)sub->id);
    return 403;
}
