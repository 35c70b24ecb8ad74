/* What is compiled on one worker and judged on another (record/artefact.h). The one
 * that judges believes nothing of it, since a submission that has taken over its compiler
 * could have made it. It goes into the job's folder, where a runner loads it in its
 * sandbox. */
#include "cli/worker.h"

#include "base/file.h"
#include "cli/answer.h"
#include "record/artefact.h"

#include <stdlib.h>
#include <string.h>

/* What an artefact of this job must say of itself, if it fits this machine. */
static struct artefact_origin
artefact_origin_of(const struct worker_setup *setup, const struct job *job,
                   const char *source)
{
    struct artefact_origin origin = {.submission = job->id,
                                     .attempt = job->attempt,
                                     .arch = job->arch,
                                     .toolkit = setup->toolkit,
                                     .linked = setup->linked};

    hash_hex(source, strlen(source), origin.source);
    return origin;
}

int
worker_artefact_add(const struct worker_slot *s, const struct job *job,
                    const char *source, const char *folder, struct buf *text,
                    struct report *r)
{
    const struct artefact_origin origin = artefact_origin_of(s->setup, job, source);
    char hash[ARTEFACT_HASH_BYTES];
    struct buf packed = {0};
    int rc = artefact_pack(folder, &origin, &packed, r);

    if (rc == 0) {
        cJSON *o = cJSON_CreateObject();
        char *member;

        hash_hex(buf_str(&packed), packed.len, hash);
        cJSON_AddStringToObject(o, "sha256", hash);
        cJSON_AddStringToObject(o, "text", buf_str(&packed));
        member = cJSON_PrintUnformatted(o);
        if (member == NULL)
            die(4, "out of memory");
        buf_printf(text, ",\"artefact\":%s", member);
        free(member);
        cJSON_Delete(o);
    }
    buf_free(&packed);
    return rc;
}

static int
artefact_take_bytes(void *ctx, const char *bytes, size_t len, struct report *r)
{
    struct buf *text = ctx;

    if (text->len + len > ARTEFACT_TEXT_MAX)
        return report_fail(r, "the artefact is longer than %zu bytes", ARTEFACT_TEXT_MAX);
    buf_add(text, bytes, len);
    return 0;
}

/* Is the text what the lease has promised? */
static int
artefact_compare(const struct buf *text, const char *hash, long bytes, struct report *r)
{
    char found[ARTEFACT_HASH_BYTES];

    if (bytes < 0 || text->len != (size_t)bytes)
        return report_fail(r, "the artefact that came has %zu bytes, and not %ld",
                           text->len, bytes);
    hash_hex(buf_str(text), text->len, found);
    if (strcmp(found, hash) != 0)
        return report_fail(r,
                           "the artefact that came has another hash than was asked for");
    return 0;
}

int
worker_artefact_fetch(struct worker_slot *s, const cJSON *lease, const struct job *job,
                      const char *folder, struct report *r)
{
    const cJSON *named = cJSON_GetObjectItemCaseSensitive(lease, "artefact");
    const char *hash = answer_string(named, "sha256");
    const struct artefact_origin origin =
        artefact_origin_of(s->setup, job, answer_string(lease, "source"));
    char *path = xasprintf("/api/worker/artefacts/%s", hash);
    struct buf text = {0};
    int rc = 0;

    if (strspn(hash, "0123456789abcdef") != ARTEFACT_HASH_BYTES - 1 ||
        strlen(hash) != ARTEFACT_HASH_BYTES - 1)
        rc = report_fail(r, "the judge names an artefact in a way that is no name");
    else if (client_stream(s->client, path, artefact_take_bytes, &text, r) != CLIENT_OK) {
        report_prefix(r, "the artefact cannot be fetched");
        rc = -1;
    }
    if (rc == 0)
        rc = artefact_compare(&text, hash, answer_count(named, "bytes"), r);
    if (rc == 0)
        rc = artefact_unpack(buf_str(&text), text.len, &origin, folder, r);
    buf_free(&text);
    free(path);
    return rc;
}
