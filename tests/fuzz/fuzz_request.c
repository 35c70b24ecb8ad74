// links: common sandbox daemon
/* Any bytes as the body of POST /api/submissions: a valid submission or a sentence. */
#include "base/utf8.h"
#include "daemon/request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};

    if (submit_request_parse((const char *)data, size, &s, &about, &r) != 0) {
        if (!report_is_set(&r) ||
            utf8_prefix(about.field, strlen(about.field)) != strlen(about.field))
            abort();
        return 0;
    }
    /* What got through is what the store and the compiler may be given. */
    if (utf8_prefix(s.source, strlen(s.source)) != strlen(s.source) ||
        strchr(s.filename, '/') != NULL || strlen(s.filename) > NAME_BYTES_MAX ||
        (s.user != NULL && s.user[0] == '\0'))
        abort();
    submit_request_free(&s);
    return 0;
}
