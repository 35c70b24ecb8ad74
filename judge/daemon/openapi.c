/* The OpenAPI document of version 1. It is written by hand, in judge/daemon/openapi.json,
 * and is put into the program as it is. */
#include "daemon/api.h"

__asm__(".pushsection .rodata\n"
        "openapi_text:\n"
        ".incbin \"judge/daemon/openapi.json\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char openapi_text[];

void
api_openapi(struct http_call *c)
{
    reply_text(c, 200, openapi_text);
}
