/*
 * The pilots' tokens. Each has the scope worker alone, and its workers may only judge.
 * Where a group's pilots have compilers, they may compile as well. A token lies in a file
 * of its own that only our user may read, in the folder that nodes share. A start of the
 * daemon makes its own token when the first pilot needs it, and another one each day. A
 * job's comment says which token its pilot has. A token that no pilot has is revoked, and
 * so are all when the daemon stops.
 */
#include "daemon/slurm/state.h"

#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/worker_tokens.h"
#include "record/accounts.h"
#include "record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY_MS ((int64_t)86400000)
#define MINUTE_MS ((int64_t)60000)

static char *
token_path(const struct slurm *s, int64_t id)
{
    return xasprintf("%s/token-%lld", s->folder, (long long)id);
}

char *
script_path(const struct slurm *s, int group)
{
    return xasprintf("%s/%s.sh", s->folder, s->settings->group[group].name);
}

/* The account whose tokens these are. */
static int
tokens_account(struct slurm *s, struct account *out, struct report *r)
{
    const char *name = s->settings->user;
    bool found = false;

    if (store_account(s->daemon->store, name, &found, out, r) != 0)
        return -1;
    if (found && out->state == ACCOUNT_ACTIVE && out->role == ROLE_ADMIN)
        return 0;
    if (found)
        account_free(out);
    return report_fail(r, "%s is no admin of this judge, so that pilots get no token",
                       name);
}

/* Finds the tokens of earlier starts, once. */
static int
tokens_find(struct slurm *s, const struct account *a, struct report *r)
{
    struct tokens list = {0};
    char *label;

    if (s->tokens_known)
        return 0;
    if (store_tokens(s->daemon->store, a->id, &list, r) != 0)
        return -1;
    label = xasprintf("pilots of %s", s->id);
    for (size_t i = 0; i < list.count && s->token_count < SLURM_TOKENS - 1; i++)
        if (strcmp(list.row[i].label, label) == 0)
            s->token[s->token_count++] = (struct slurm_token){
                .id = list.row[i].id, .made_ms = list.row[i].created_ms};
    free(label);
    tokens_free(&list);
    s->tokens_known = true;
    return 0;
}

static void
token_revoke(struct slurm *s, const struct account *a, int64_t id)
{
    char *path = token_path(s, id);
    struct report r = {0};
    bool found;

    if (store_revoke_token(s->daemon->store, a->id, id, &found, &r) != 0)
        log_line("Slurm: a token is not revoked: %s", r.text);
    else if (!s->stopping)
        worker_tokens_look(s->daemon);
    if (unlink(path) != 0 && errno != ENOENT)
        log_line("%s cannot be removed: %s", path, strerror(errno));
    free(path);
}

void
tokens_prune(struct slurm *s, bool idle)
{
    struct account a = {0};
    struct report r = {0};
    int kept = 0;

    if (s->tokens_known && s->token_count == 0)
        return;
    if (tokens_account(s, &a, &r) != 0 || tokens_find(s, &a, &r) != 0) {
        account_free(&a);
        return;
    }
    for (int i = 0; i < s->token_count; i++) {
        const int64_t id = s->token[i].id;

        if (pilots_have_token(&s->pilots, id) || (id == s->current && !idle)) {
            s->token[kept++] = s->token[i];
            continue;
        }
        token_revoke(s, &a, id);
        if (id == s->current)
            s->current = 0;
    }
    s->token_count = kept;
    account_free(&a);
}

static int
token_write(const struct slurm *s, int64_t id, const char *secret, struct report *r)
{
    char *path = token_path(s, id);
    int fd, rc = 0;

    (void)unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || dprintf(fd, "%s\n", secret) < 0)
        rc = report_errno(r, "%s cannot be written", path);
    if (fd >= 0 && close(fd) != 0 && rc == 0)
        rc = report_errno(r, "%s cannot be written", path);
    free(path);
    return rc;
}

static int
scripts_write(const struct slurm *s, int64_t token, struct report *r)
{
    char *path = token_path(s, token);
    int rc = 0;

    for (int i = 0; i < s->settings->count && rc == 0; i++) {
        struct buf text = {0};
        char *script = script_path(s, i);

        pilot_script(s->settings, &s->settings->group[i], s->program, path, &text);
        rc = file_write(script, buf_str(&text), text.len, r);
        free(script);
        buf_free(&text);
    }
    free(path);
    return rc;
}

/* How long the longest pilot may live. */
static int64_t
longest_ms(const struct slurm_settings *s)
{
    int most = 0;

    for (int i = 0; i < s->count; i++)
        if (s->group[i].time_min > most)
            most = s->group[i].time_min;
    return most * MINUTE_MS;
}

static int
token_make(struct slurm *s, const struct account *a, struct report *r)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES], *label;
    const int64_t now = now_ms();
    int64_t id = 0;
    int rc;

    secret_new(TOKEN_PREFIX, secret);
    secret_hash(secret, hash);
    label = xasprintf("pilots of %s", s->id);
    rc = store_add_token(
        s->daemon->store,
        &(struct new_token){.account = a->id,
                            .hash = hash,
                            .label = label,
                            .scopes = SCOPE_WORKER,
                            .worker_roles = slurm_settings_compile(s->settings)
                                                ? TOKEN_WORKS
                                                : TOKEN_JUDGES,
                            .expires_ms = now + 2 * DAY_MS + longest_ms(s->settings)},
        &id, r);
    free(label);
    if (rc != 0)
        return -1;
    s->token[s->token_count++] = (struct slurm_token){.id = id, .made_ms = now};
    if (token_write(s, id, secret, r) != 0 || scripts_write(s, id, r) != 0)
        return -1; /* tokens_prune() revokes it */
    s->current = id;
    return 0;
}

int
tokens_ready(struct slurm *s, struct report *r)
{
    struct account a = {0};
    int rc;

    for (int i = 0; i < s->token_count; i++)
        if (s->token[i].id == s->current && now_ms() - s->token[i].made_ms < DAY_MS)
            return 0;
    if (tokens_account(s, &a, r) != 0)
        return -1;
    rc = tokens_find(s, &a, r);
    if (rc == 0 && s->token_count == SLURM_TOKENS)
        rc = report_fail(r, "pilots have %d tokens already", SLURM_TOKENS);
    if (rc == 0)
        rc = token_make(s, &a, r);
    account_free(&a);
    return rc;
}
