/* The API's listings: the PTX or the machine code of a submission, or of any source, by
 * source line. listings.h makes them. */
#include "daemon/api.h"

#include "base/buf.h"
#include "compile/compile.h"
#include "daemon/daemon.h"
#include "daemon/listings.h"
#include "daemon/request.h"
#include "daemon/submitting.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is there what shows this form? False after having answered. `field` is where the form
 * stands in the request. */
static bool
check_form(struct http_call *c, const char *form, const char *field)
{
    char *program;
    bool there;

    if (strcmp(form, "ptx") == 0)
        return true;
    if (strcmp(form, "sass") != 0) {
        reply_problem(c, field[0] == '?' ? ERROR_INVALID_PARAMETER : ERROR_INVALID_MEMBER,
                      field, "form is \"%.40s\": it must be \"ptx\" or \"sass\"", form);
        return false;
    }
    program =
        xasprintf("%s/bin/" DISASSEMBLER,
                  c->daemon->config.cuda_root != NULL ? c->daemon->config.cuda_root : "");
    there = access(program, X_OK) == 0;
    free(program);
    if (!there)
        reply_problem(c, ERROR_NO_DISASSEMBLER, field,
                      "the judge's machine has no " DISASSEMBLER
                      ", which shows machine code and comes with the CUDA Toolkit: ask "
                      "for the PTX");
    return there;
}

static bool
check_stopping(struct http_call *c)
{
    if (!c->daemon->draining)
        return true;
    reply_retry_after(c, RETRY_AFTER_S);
    reply_problem(c, ERROR_STOPPING, NULL,
                  "the judge is being stopped: ask again when it is back");
    return false;
}

/* Has the listing made, if problem and device exist and fit. */
static void
api_assembly_add(struct http_call *c, const struct submit_request *s, const char *name,
                 const char *form)
{
    const struct device_entry *e = submitting_device(c, s);
    struct listing_request request = {.problem = s->problem,
                                      .filename = s->filename,
                                      .source = s->source,
                                      .form = form};

    if (e == NULL)
        return;
    request.device = e->name;
    listings_add(c->daemon->listings, c, name, &request);
}

void
api_assemble(struct http_call *c)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};
    const char *form = call_query(c, "form");
    char name[USER_BYTES_MAX + 1];
    size_t len = 0;
    const char *body = call_body(c, &len);
    int status;

    if (!check_stopping(c) || !check_form(c, form != NULL ? form : "ptx", "?form"))
        return;
    if (submit_request_parse(body, len, &s, &about, &r) != 0) {
        reply_problem(c, about.code, about.field, "%s", r.text);
        return;
    }
    status = rights_submit_name(c->daemon, &c->who, s.user, name, &r);
    if (status == 400)
        reply_problem(c, ERROR_INVALID_MEMBER, "/user", "%s", r.text);
    else if (status != 0)
        reply_refused(c, status, &r);
    else
        api_assembly_add(c, &s, name, form != NULL ? form : "ptx");
    submit_request_free(&s);
}

void
api_assembly(struct http_call *c)
{
    const char *form = call_query(c, "form");
    struct submission sub;
    struct report r = {0};
    struct buf source = {0};
    bool found = false;

    if (!check_stopping(c) || !check_form(c, form != NULL ? form : "ptx", "?form") ||
        !asked_source(c, &sub))
        return;
    if (store_source(c->daemon->store, sub.id, &found, &source, &r) != 0)
        reply_failure(c, &r);
    else if (!found)
        reply_problem(c, ERROR_NO_SUCH_SUBMISSION, NULL, "there is no submission %lld",
                      (long long)sub.id);
    else
        api_assembly_add(c,
                         &(struct submit_request){.problem = sub.problem,
                                                  .device = sub.device,
                                                  .filename = sub.filename,
                                                  .source = source.data},
                         c->who.name, form != NULL ? form : "ptx");
    buf_free(&source);
    submission_free(&sub);
}
