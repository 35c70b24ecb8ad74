/* The API's answer to who joins: by an invitation, or where registration is open. */
#include "daemon/api_accounts.h"

#include "daemon/daemon.h"
#include "daemon/first_admin.h"
#include "daemon/join_limits.h"
#include "daemon/log.h"
#include "daemon/waiting_call.h"
#include "record/groups.h"
#include "record/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
join_refuse_later(struct http_call *c, int64_t seconds, const char *of, const char *name)
{
    reply_retry_after(c, seconds);
    reply_problem(c, ERROR_TOO_MANY, NULL,
                  "too many attempts to join %s%s: try again in %lld s, or by a good "
                  "invitation at any time",
                  of, name, (long long)seconds);
}

/* The staff have no quota, and no limit here. */
static bool
join_is_limited(const struct http_call *c)
{
    return !rights_has_no_quota(&c->who);
}

static void
join_refuse(struct http_call *c, enum join_result result, const char *name)
{
    const bool limited = join_is_limited(c);
    const int64_t address_s = limited ? join_limits_address_s(c) : 0;
    const int64_t name_s = limited ? join_limits_name_s(c, name) : 0;

    if (address_s > 0) {
        join_refuse_later(c, address_s, "came from this address", "");
        return;
    }
    if (name_s > 0) {
        join_refuse_later(c, name_s, "were made under the name ", name);
        return;
    }
    if (limited)
        join_limits_count_refused(c, name);
    switch (result) {
    case JOIN_OTHER_NAME:
        reply_problem(c, ERROR_INVITATION, "/name",
                      "this invitation is for another name than %s", name);
        break;
    case JOIN_TAKEN:
        reply_problem(c, ERROR_NAME_TAKEN, "/name",
                      "the name %s is taken (who it belongs to asks an admin for an "
                      "invitation to it)",
                      name);
        break;
    case JOIN_CLOSED:
        reply_error(c, 403, "the account %s is closed", name);
        break;
    case JOIN_FULL:
        reply_error(c, 409,
                    "this group has no place left: its teacher knows who is in it");
        break;
    case JOIN_NOT_INVITED:
        reply_problem(c, ERROR_INVITATION, "/invitation",
                      "nobody joins this judge without an invitation of an admin's");
        break;
    case JOIN_UNKNOWN:
    case JOIN_DONE:
        reply_problem(c, ERROR_INVITATION, "/invitation",
                      "this invitation is not known, or was used, or is too old");
        break;
    }
}

static void
join_now(struct http_call *c, const struct join *asked)
{
    struct daemon *d = c->daemon;
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    struct join j = *asked;
    enum join_result result;
    struct account a;
    struct report r = {0};
    cJSON *o;

    secret_new(TOKEN_PREFIX, secret);
    secret_hash(secret, hash);
    j.token = hash;
    if (store_join(d->store, &j, &result, &a, &r) != 0) {
        reply_failure(c, &r);
    } else if (result != JOIN_DONE) {
        join_refuse(c, result, j.name);
    } else {
        log_line("%s has joined as %s", a.name, role_name(a.role));
        if (j.invitation == NULL && j.password == NULL && join_is_limited(c))
            join_limits_count_open(c);
        first_admin_step(d);
        o = account_json(&a);
        cJSON_AddStringToObject(o, "token", secret);
        reply_json(c, 201, o);
        account_free(&a);
    }
    explicit_bzero(secret, sizeof secret);
}

/* A call to join with a password, while that is hashed. */
struct join_wait {
    char *name, *label;
    char invitation[SECRET_HASH_BYTES]; /* empty: none */
    bool admins_only;
};

static void
join_wait_free(void *arg)
{
    struct join_wait *w = arg;

    free(w->name);
    free(w->label);
    free(w);
}

static void
join_hashed(struct http_call *c, const struct hashing_result *result, void *arg)
{
    const struct join_wait *w = arg;
    const struct join j = {.name = w->name,
                           .invitation = w->invitation[0] != '\0' ? w->invitation : NULL,
                           .label = w->label,
                           .password = result->text,
                           .admins_only = w->admins_only};

    if (password_was_hashed(c, result))
        join_now(c, &j);
}

/* The password is hashed before the invitation is used up, so that one that cannot be
 * hashed now costs nothing. Nobody gets one hashed who could not join anyway. An account
 * without an invitation counts when its hashing begins: many at once, or ones whose
 * client goes meanwhile, are no way around the limit. */
static void
join_with_password(struct http_call *c, const struct join *asked, const char *password)
{
    static const struct waiting_maker MAKER = {join_hashed, join_wait_free};
    const struct hashing_task task = {.sets = password, .is_first = true};
    struct join j = *asked;
    enum join_result result;
    struct account none;
    struct report r = {0};
    struct join_wait *w;

    j.only_asks = true;
    if (store_join(c->daemon->store, &j, &result, &none, &r) != 0) {
        reply_failure(c, &r);
    } else if (result != JOIN_DONE) {
        join_refuse(c, result, j.name);
    } else {
        w = xcalloc(1, sizeof *w);
        w->name = xstrdup(j.name);
        w->label = xstrdup(j.label);
        w->admins_only = j.admins_only;
        if (j.invitation != NULL)
            snprintf(w->invitation, sizeof w->invitation, "%s", j.invitation);
        if (call_await_hashing(c, &task, &MAKER, w) && j.invitation == NULL &&
            join_is_limited(c))
            join_limits_count_open(c);
    }
}

/* Joins by what the body says, which is sound. */
static void
join_with(struct http_call *c, const char *name, const char *invitation,
          const char *label, const char *password)
{
    char hash[SECRET_HASH_BYTES];
    const struct join j = {.name = name,
                           .invitation = invitation != NULL ? hash : NULL,
                           .token = "",
                           .label = label != NULL ? label : "",
                           .admins_only =
                               c->daemon->policy.registration == REGISTRATION_CLOSED};
    const int64_t wait =
        invitation == NULL && join_is_limited(c) ? join_limits_address_s(c) : 0;

    if (invitation != NULL)
        secret_hash(invitation, hash);
    if (wait > 0)
        join_refuse_later(c, wait, "came from this address", "");
    else if (password != NULL)
        join_with_password(c, &j, password);
    else
        join_now(c, &j);
}

void
api_join(struct http_call *c)
{
    const enum registration registration = c->daemon->policy.registration;
    const char *name = NULL, *invitation = NULL, *label = NULL, *password = NULL;
    const struct request_field fields[] = {{"name", &name, NULL},
                                           {"invitation", &invitation, NULL},
                                           {"label", &label, NULL},
                                           {"password", &password, NULL}};
    struct report r = {0};
    cJSON *object;

    if (registration == REGISTRATION_OFF) {
        reply_problem(c, ERROR_NO_ACCOUNTS, NULL,
                      "this judge has no accounts: `serve --registration` says who "
                      "may have one");
        return;
    }
    if (!account_body(c, fields, sizeof fields / sizeof *fields, "an account", &object))
        return;
    if (name == NULL)
        reply_problem(c, ERROR_MISSING_MEMBER, "/name",
                      "name is missing: say under which name you want to be known");
    else if (user_name_check(name, &r) != 0)
        reply_problem(c, ERROR_INVALID_MEMBER, "/name", "%s", r.text);
    else if (label != NULL && strlen(label) > LABEL_BYTES_MAX)
        reply_problem(c, ERROR_INVALID_MEMBER, "/label", "label is longer than %d bytes",
                      LABEL_BYTES_MAX);
    else if (invitation == NULL && registration != REGISTRATION_OPEN)
        join_refuse(c, JOIN_NOT_INVITED, name);
    else if (invitation != NULL && !secret_is_valid(INVITATION_PREFIX, invitation) &&
             !secret_is_valid(GROUP_CODE_PREFIX, invitation))
        join_refuse(c, JOIN_UNKNOWN, name);
    else if (password == NULL || new_password_is_good(c, password))
        join_with(c, name, invitation, label, password);
    account_body_delete(object, password);
}
