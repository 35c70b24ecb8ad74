#include "daemon/etag.h"

#include <event2/http.h>
#include <stdio.h>
#include <string.h>

#define TAG_BYTES 24

/* Does the value of If-None-Match list this tag, which begins with W/? The comparison is
 * the weak one. */
static bool
etag_is_listed(const char *list, const char *tag)
{
    while (*list != '\0') {
        size_t len;

        list += strspn(list, " \t,");
        if (*list == '*')
            return true;
        if (strncmp(list, "W/", 2) == 0)
            list += 2;
        len = strcspn(list, ", \t");
        if (len == strlen(tag) - 2 && memcmp(list, tag + 2, len) == 0)
            return true;
        list += len;
    }
    return false;
}

bool
etag_is_known(struct http_call *c, uint64_t number)
{
    const char *had =
        evhttp_find_header(evhttp_request_get_input_headers(c->req), "If-None-Match");
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);
    char tag[TAG_BYTES];

    /* It is a weak one: a compressed answer has the same. */
    snprintf(tag, sizeof tag, "W/\"%016llx\"", (unsigned long long)number);
    evhttp_add_header(headers, "ETag", tag);
    evhttp_add_header(headers, "Cache-Control", "no-cache");
    if (had == NULL || !etag_is_listed(had, tag))
        return false;
    evhttp_send_reply(c->req, 304, status_words(304), NULL);
    return true;
}
