#include "daemon/kept_answer.h"

#include "base/buf.h"
#include "daemon/etag.h"
#include "daemon/fingerprint.h"

#include <stdlib.h>
#include <string.h>

struct kept_answer {
    struct buf text, packed; /* packed: empty until it is asked for */
    uint64_t tag;
};

struct kept_answer *
kept_answer_new(const char *text)
{
    struct kept_answer *k = xcalloc(1, sizeof *k);

    buf_puts(&k->text, text);
    k->tag = fingerprint(0, k->text.data, k->text.len);
    return k;
}

void
kept_answer_free(struct kept_answer *k)
{
    if (k == NULL)
        return;
    buf_free(&k->text);
    buf_free(&k->packed);
    free(k);
}

void
reply_kept(struct http_call *c, struct kept_answer *k)
{
    if (!etag_is_known(c, k->tag))
        reply_shared(c, k->text.data, k->text.len, &k->packed);
}
