#include "daemon/web/safe_headers.h"

#include "daemon/http.h"

#include <event2/http.h>
#include <sodium.h>
#include <stdio.h>

void
safe_headers_add(struct http_call *c, const char *nonce)
{
    struct evkeyvalq *headers = evhttp_request_get_output_headers(c->req);
    char policy[256 + 2 * NONCE_CHARS];

    if (nonce == NULL)
        snprintf(policy, sizeof policy, "default-src 'none'; frame-ancestors 'none'");
    else
        snprintf(
            policy, sizeof policy,
            "default-src 'none'; script-src 'nonce-%s'; style-src 'self' 'nonce-%s'; "
            "img-src 'self'; connect-src 'self'; form-action 'self'; "
            "frame-ancestors 'none'; base-uri 'none'",
            nonce, nonce);
    evhttp_add_header(headers, "Content-Security-Policy", policy);
    /* With no-referrer a browser would hide the Origin of our own forms, too (the Fetch
     * standard, "append a request Origin header"). */
    evhttp_add_header(headers, "Referrer-Policy", "same-origin");
    evhttp_add_header(headers, "Cross-Origin-Opener-Policy", "same-origin");
    evhttp_add_header(headers, "Cross-Origin-Resource-Policy", "same-origin");
    evhttp_add_header(headers, "Permissions-Policy",
                      "camera=(), geolocation=(), microphone=(), payment=(), usb=()");
}

void
safe_headers_nonce(char nonce[NONCE_CHARS + 1])
{
    unsigned char random[NONCE_CHARS / 2];

    randombytes_buf(random, sizeof random);
    sodium_bin2hex(nonce, NONCE_CHARS + 1, random, sizeof random);
}
