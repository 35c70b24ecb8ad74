#include "daemon/idempotency.h"

#include "base/buf.h"
#include "base/file.h"
#include "daemon/daemon.h"
#include "daemon/fingerprint.h"
#include "record/store.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

static bool
key_is_valid(const char *text)
{
    const size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return len >= 1 && len <= KEY_BYTES_MAX;
}

static const char *
idempotency_header(const struct http_call *c)
{
    return evhttp_find_header(evhttp_request_get_input_headers(c->req),
                              "Idempotency-Key");
}

bool
idempotency_admit(struct http_call *c, const char *name, const char *body, size_t len,
                  struct call_key *out)
{
    const char *text = idempotency_header(c);
    struct report r = {0};
    char *owner;
    int64_t id;
    uint64_t first_body = 0;
    cJSON *o;

    *out = (struct call_key){.given = text != NULL};
    if (text == NULL)
        return true;
    if (!key_is_valid(text)) {
        reply_problem(c, ERROR_INVALID_HEADER, NULL,
                      "the header Idempotency-Key must have 1 to %d characters of ASCII, "
                      "and no spaces",
                      KEY_BYTES_MAX);
        return false;
    }
    /* Names have no newlines. */
    owner = xasprintf("%s\n%s\n%s", c->who.name, name, text);
    hash_hex(owner, strlen(owner), out->owner);
    free(owner);
    out->body = fingerprint(0, body, len);
    if (store_find_key(c->daemon->store, out->owner, &id, &first_body, &r) != 0) {
        reply_failure(c, &r);
        return false;
    }
    if (id == 0)
        return true;
    if (first_body != out->body) {
        reply_problem(c, ERROR_KEY_REUSED, NULL,
                      "this Idempotency-Key was used for another submission (%lld): each "
                      "has a key of its own",
                      (long long)id);
        return false;
    }
    o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "id", (double)id);
    reply_json(c, 201, o);
    return false;
}
