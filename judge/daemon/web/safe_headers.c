#include "daemon/web/safe_headers.h"

#include "daemon/http.h"

#include <event2/http.h>

void
safe_headers_add(struct http_call *c)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);

    evhttp_add_header(
        headers, "Content-Security-Policy",
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'");
    /* With no-referrer a browser would hide the Origin of our own forms, too (the Fetch
     * standard, "append a request Origin header"). */
    evhttp_add_header(headers, "Referrer-Policy", "same-origin");
    evhttp_add_header(headers, "Cross-Origin-Opener-Policy", "same-origin");
    evhttp_add_header(headers, "Cross-Origin-Resource-Policy", "same-origin");
    evhttp_add_header(headers, "Permissions-Policy",
                      "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
}
