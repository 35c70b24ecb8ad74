#include "daemon/first_admin.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "record/accounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *
first_admin_path(const struct daemon *d)
{
    return xasprintf("%s/first-admin", d->config.home);
}

/* Removes the file, which need not be there. */
static int
first_admin_forget(const struct daemon *d, struct report *r)
{
    char *path = first_admin_path(d);
    int rc = 0;

    if (unlink(path) != 0 && errno != ENOENT)
        rc = report_errno(r, "%s cannot be removed", path);
    free(path);
    return rc;
}

/* The link, at an address of this machine. Where another name leads here, a person puts
 * it in the place of localhost. Without TCP it is the invitation alone. */
static char *
first_admin_link(int port, const char *invitation)
{
    return port != 0 ? xasprintf("http://localhost:%d/#%s", port, invitation)
                     : xstrdup(invitation);
}

static int
first_admin_write(const struct daemon *d, const char *link, struct report *r)
{
    char *path = first_admin_path(d);
    int rc = first_admin_forget(d, r), fd = -1;

    if (rc == 0) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 || dprintf(fd, "%s\n", link) < 0)
            rc = report_errno(r, "%s cannot be written", path);
    }
    if (fd >= 0)
        close(fd);
    if (rc == 0)
        log_line(strchr(link, '#') != NULL
                     ? "the first admin joins by: warpjudge login '%s' (it is also in %s)"
                     : "the first admin's invitation is %s (it is also in %s)",
                 link, path);
    free(path);
    return rc;
}

int
first_admin_begin(struct daemon *d, int port, struct report *r)
{
    char secret[SECRET_BYTES], hash[SECRET_HASH_BYTES];
    const struct new_invitation n = {.hash = hash, .role = ROLE_ADMIN};
    bool there = false;
    char *link;
    int rc;

    if (store_has_account(d->store, ROLE_ADMIN, &there, r) != 0)
        return -1;
    if (there || d->policy.registration == REGISTRATION_OFF)
        return first_admin_forget(d, r);
    if (store_withdraw_invitations(d->store, ROLE_ADMIN, r) != 0)
        return -1;
    secret_new(INVITATION_PREFIX, secret);
    secret_hash(secret, hash);
    if (store_invite(d->store, &n, r) != 0)
        return -1;
    link = first_admin_link(port, secret);
    rc = first_admin_write(d, link, r);
    explicit_bzero(link, strlen(link));
    free(link);
    explicit_bzero(secret, sizeof secret);
    return rc;
}

void
first_admin_step(struct daemon *d)
{
    struct report r = {0};
    bool there = false;

    if (store_has_account(d->store, ROLE_ADMIN, &there, &r) != 0 ||
        (there && first_admin_forget(d, &r) != 0))
        log_line("%s", r.text);
}
