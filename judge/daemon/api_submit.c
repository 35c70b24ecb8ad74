/* The API's answer to a submission: it is checked here, and stored later (submitting.h).
 */
#include "daemon/api.h"

#include "daemon/connections.h"
#include "daemon/daemon.h"
#include "daemon/submitting.h"

void
api_submit(struct http_call *c)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};
    char name[USER_BYTES_MAX + 1];
    size_t len = 0;
    const char *body = call_body(c, &len);
    int status;

    if (c->daemon->draining) {
        reply_retry_after(c, RETRY_AFTER_S);
        reply_problem(c, ERROR_STOPPING, NULL,
                      "the judge is being stopped: submit again when it is back");
        return;
    }
    if (submit_request_parse(body, len, &s, &about, &r) != 0) {
        reply_problem(c, about.code, about.field, "%s", r.text);
        return;
    }
    status = submitting_name(c->daemon, &c->who, &s, name, &r);
    if (status == 0) {
        submitting_add(c->daemon->submitting, c, &s, name);
        return;
    }
    if (status == 400)
        reply_problem(c, s.user == NULL ? ERROR_MISSING_MEMBER : ERROR_INVALID_MEMBER,
                      "/user", "%s", r.text);
    else
        reply_refused(c, status, &r);
    submit_request_free(&s);
}
