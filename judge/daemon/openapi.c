/* The OpenAPI document of version 1. It is written by hand, in judge/daemon/openapi.json,
 * and is put into the program as it is. */
#include "daemon/api.h"

#include "base/buf.h"
#include "daemon/slices.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES 32768

__asm__(".pushsection .rodata\n"
        "openapi_text:\n"
        ".incbin \"judge/daemon/openapi.json\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char openapi_text[];

/* What of the document is still to be sent. */
struct shown_document {
    const char *rest;
};

static int
shown_document_next(void *arg, struct buf *body, bool *more, struct report *r)
{
    struct shown_document *s = arg;
    const size_t len = strnlen(s->rest, PIECE_BYTES);

    (void)r;
    buf_add(body, s->rest, len);
    s->rest += len;
    *more = *s->rest != '\0';
    return 0;
}

void
api_openapi(struct http_call *c)
{
    static const struct slices_maker MAKER = {shown_document_next, free};
    struct shown_document *s = xcalloc(1, sizeof *s);

    s->rest = openapi_text;
    reply_slices(c, &MAKER, s);
}
