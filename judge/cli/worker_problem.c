/* The problems that a worker has: each by the hash of its files, fetched once. */
#include "cli/worker.h"

#include "base/buf.h"
#include "base/file.h"
#include "problem/archive.h"
#include "problem/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HASH_DIGITS 64

static int
problem_take_bytes(void *ctx, const char *bytes, size_t len, struct report *r)
{
    struct buf *text = ctx;

    if (text->len + len > ARCHIVE_TEXT_MAX)
        return report_fail(r, "the problem is longer than %zu bytes", ARCHIVE_TEXT_MAX);
    buf_add(text, bytes, len);
    return 0;
}

/* Asks for the problem, and makes sure that it is the one that was asked for. */
static int
problem_fetch(struct worker_slot *s, const char *hash, struct buf *text, struct report *r)
{
    char *path = xasprintf("/api/worker/problems/%s", hash), found[HASH_DIGITS + 1];
    const enum client_result result =
        client_stream(s->client, path, problem_take_bytes, text, r);

    free(path);
    if (result != CLIENT_OK) {
        report_prefix(r, "the problem cannot be fetched");
        return -1;
    }
    hash_hex(buf_str(text), text->len, found);
    if (strcmp(found, hash) != 0)
        return report_fail(r,
                           "the problem that came has another hash than was asked for");
    return 0;
}

/* Unpacks the text into a new folder, which gets its name when all is there. Another
 * process may have been faster. */
static int
problem_keep(const struct buf *text, const char *parent, const char *folder,
             const char *slug, struct report *r)
{
    char *fresh = xasprintf("%s/new-XXXXXX", parent);
    int rc = file_mkdirs(parent, r);

    if (rc == 0 && mkdtemp(fresh) == NULL)
        rc = report_errno(r, "no folder can be made in %s", parent);
    if (rc == 0 && chmod(fresh, 0755) != 0)
        rc = report_errno(r, "%s cannot be opened to sandboxes", fresh);
    if (rc == 0)
        rc = archive_unpack(buf_str(text), text->len, fresh, slug, r);
    if (rc == 0 && rename(fresh, folder) != 0 && access(folder, F_OK) != 0)
        rc = report_errno(r, "%s cannot be made", folder);
    if (access(fresh, F_OK) == 0)
        file_remove_tree(fresh, NULL);
    free(fresh);
    return rc;
}

char *
worker_problem(struct worker_slot *s, const char *slug, const char *hash,
               struct report *r)
{
    char *parent, *folder, *spec;
    struct buf text = {0};
    int rc = 0;

    if (!slug_is_valid(slug) || strlen(hash) != HASH_DIGITS ||
        strspn(hash, "0123456789abcdef") != HASH_DIGITS) {
        report_fail(r, "the judge names a problem in a way that is no name");
        return NULL;
    }
    parent = xasprintf("%s/worker/problems", s->setup->config->home);
    folder = xasprintf("%s/%s", parent, hash);
    spec = xasprintf("%s/%s/problem.json", folder, slug);
    if (access(spec, F_OK) != 0)
        rc = problem_fetch(s, hash, &text, r) != 0
                 ? -1
                 : problem_keep(&text, parent, folder, slug, r);
    buf_free(&text);
    free(spec);
    free(parent);
    if (rc == 0)
        return folder;
    free(folder);
    return NULL;
}
