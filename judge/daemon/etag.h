/* ETags (RFC 9110, 8.8.3 and 13.1.2): a client that has a copy of an answer asks with
 * If-None-Match whether it is still good. */
#ifndef DAEMON_ETAG_H
#define DAEMON_ETAG_H

#include "daemon/http.h"

#include <stdbool.h>
#include <stdint.h>

/* Names the answer to a GET that follows by a number, which another answer does not have.
 * True after having answered 304, because the client has it. */
bool etag_is_known(struct http_call *c, uint64_t number);

#endif
