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

/* Is there what shows this form? False after having answered. */
static bool
check_form(struct http_call *c, const char *form)
{
    char *program;
    bool there;

    if (strcmp(form, "ptx") == 0)
        return true;
    if (strcmp(form, "sass") != 0) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?form",
                      "form is \"%.40s\": it must be \"ptx\" or \"sass\"", form);
        return false;
    }
    program =
        xasprintf("%s/bin/" DISASSEMBLER,
                  c->daemon->config.cuda_root != NULL ? c->daemon->config.cuda_root : "");
    there = access(program, X_OK) == 0;
    free(program);
    if (!there)
        reply_problem(c, ERROR_NO_DISASSEMBLER, "?form",
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

/* Reads the query. False after having answered. */
static bool
asked_listing(struct http_call *c, struct listing_request *out)
{
    const char *form = call_query(c, "form"), *bytes = call_query(c, "bytes");

    *out = (struct listing_request){.form = form != NULL ? form : "ptx",
                                    .bytes = LISTING_CODE_BYTES_MAX};
    if (bytes != NULL && !request_number(bytes, 1, LISTING_CODE_BYTES_MAX, &out->bytes)) {
        reply_problem(c, ERROR_INVALID_PARAMETER, "?bytes",
                      "bytes is \"%.40s\": it must be a whole number from 1 to %d", bytes,
                      LISTING_CODE_BYTES_MAX);
        return false;
    }
    return check_stopping(c) && check_form(c, out->form);
}

/* Has the listing made, if problem and device exist and fit. */
static void
api_assembly_add(struct http_call *c, const struct submit_request *s, const char *name,
                 struct listing_request *request)
{
    const struct device_entry *e = submitting_device(c, s);

    if (e == NULL)
        return;
    request->problem = s->problem;
    request->filename = s->filename;
    request->source = s->source;
    request->device = e->name;
    listings_add(c->daemon->listings, c, name, request);
}

void
api_assemble(struct http_call *c)
{
    struct submit_request s;
    struct error_about about;
    struct report r = {0};
    struct listing_request wanted;
    char name[USER_BYTES_MAX + 1];
    size_t len = 0;
    const char *body = call_body(c, &len);
    int status;

    if (!asked_listing(c, &wanted))
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
        api_assembly_add(c, &s, name, &wanted);
    submit_request_free(&s);
}

void
api_assembly(struct http_call *c)
{
    struct listing_request wanted;
    struct submission sub;
    struct report r = {0};
    struct buf source = {0};
    bool found = false;

    if (!asked_listing(c, &wanted) || !asked_source(c, &sub))
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
                         c->who.name, &wanted);
    buf_free(&source);
    submission_free(&sub);
}
