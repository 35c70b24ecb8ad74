#include "daemon/gzip.h"

#include "base/buf.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* A window of 4 KiB: an answer that nobody reads holds 40 KB for it, instead of 270. */
#define WINDOW_BITS 12
#define GZIP_FORMAT 16
#define MEMORY_LEVEL 5
#define PIECE_BYTES 16384

struct gzip {
    z_stream stream;
};

/* Is the weight 0, as in ";q=0.0"? */
static bool
weight_is_zero(const char *parameters, size_t len)
{
    const char *end = parameters + len, *q = parameters;

    while (q < end && *q != 'q' && *q != 'Q')
        q++;
    q += strspn(q, "qQ= \t");
    while (q < end && (*q == '0' || *q == '.'))
        q++;
    return q >= end || (*q < '0' || *q > '9');
}

/* Does the value of Accept-Encoding take gzip? */
static bool
list_takes_gzip(const char *list)
{
    bool any = false;

    while (*list != '\0') {
        size_t len, name;
        bool taken;

        list += strspn(list, " \t,");
        len = strcspn(list, ",");
        name = strcspn(list, ",; \t");
        taken = name == len || memchr(list, ';', len) == NULL ||
                !weight_is_zero(list + name, len - name);
        if (name == 4 && strncasecmp(list, "gzip", name) == 0)
            return taken;
        if (name == 1 && *list == '*')
            any = taken;
        list += len;
    }
    return any;
}

bool
gzip_is_taken(struct http_call *c)
{
    const char *list =
        evhttp_find_header(evhttp_request_get_input_headers(c->req), "Accept-Encoding");

    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Vary",
                      "Accept-Encoding");
    return list != NULL && list_takes_gzip(list);
}

void
gzip_add_header(struct http_call *c)
{
    evhttp_add_header(evhttp_request_get_output_headers(c->req), "Content-Encoding",
                      "gzip");
}

struct gzip *
gzip_new(void)
{
    struct gzip *g = xcalloc(1, sizeof *g);

    if (deflateInit2(&g->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS + GZIP_FORMAT,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        die(4, "out of memory");
    return g;
}

void
gzip_free(struct gzip *g)
{
    if (g == NULL)
        return;
    deflateEnd(&g->stream);
    free(g);
}

void
gzip_add(struct gzip *g, const char *bytes, size_t len, bool last, struct evbuffer *out)
{
    static unsigned char piece[PIECE_BYTES];
    z_stream *z = &g->stream;

    /* zlib changes none of its input, though an old declaration says that it might. */
    z->next_in = (z_const Bytef *)bytes;
    z->avail_in = (uInt)len;
    do {
        z->next_out = piece;
        z->avail_out = sizeof piece;
        (void)deflate(z, last ? Z_FINISH : Z_SYNC_FLUSH);
        if (evbuffer_add(out, piece, sizeof piece - z->avail_out) != 0)
            die(4, "out of memory");
    } while (z->avail_out == 0);
}
