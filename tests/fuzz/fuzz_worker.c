// links: common sandbox daemon
/* Any bytes as what a worker sends: its registration, a message, and a result in the
 * two files that the daemon makes of it. */
#include "base/utf8.h"
#include "daemon/worker_request.h"
#include "record/artefact.h"
#include "record/job.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fuzz_hello(const char *text, size_t size)
{
    struct worker_hello h;
    struct error_about about;
    struct report r = {0};

    if (worker_hello_parse(text, size, &h, &about, &r) != 0) {
        if (!report_is_set(&r))
            abort();
        return;
    }
    /* These become the names of a board and of a node that everybody sees. */
    for (const char *c = h.board; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            abort();
    if (strchr(h.node, '/') != NULL || h.node[0] == '\0')
        abort();
    worker_hello_free(&h);
}

static void
fuzz_message(const char *text, size_t size)
{
    struct worker_message m;
    struct error_about about;
    struct report r = {0};

    if (worker_message_parse(text, size, &m, &about, &r) != 0) {
        if (!report_is_set(&r))
            abort();
        return;
    }
    if (m.part > m.parts || m.parts > RESULT_PARTS_MAX || m.done > m.of)
        abort();
    worker_message_free(&m);
}

/* The artefact of some attempt, as the daemon looks at it before it hands it on. */
static void
fuzz_artefact(const char *text)
{
    const struct artefact_origin origin = {
        .submission = 1, .attempt = 1, .arch = "a", .linked = "l"};
    struct report r = {0};

    if (artefact_check(text, strlen(text), &origin, &r) != 0 && !report_is_set(&r))
        abort();
}

static void
fuzz_result(const char *text, size_t size)
{
    struct worker_result w = {0};
    struct compile_result c = {0};
    struct result res = {0};
    struct report r = {0};

    if (worker_result_split(text, size, &w, &r) != 0) {
        if (!report_is_set(&r) || w.compiled != NULL || w.result != NULL)
            abort();
        return;
    }
    r = (struct report){0};
    if (compile_result_parse(w.compiled, strlen(w.compiled), &c, &r) == 0) {
        if (utf8_prefix(c.message, strlen(c.message)) != strlen(c.message))
            abort();
        compile_result_free(&c);
    }
    r = (struct report){0};
    if (w.result != NULL && result_parse(w.result, strlen(w.result), &res, &r) == 0) {
        /* What got through is what the store is given. */
        if (utf8_prefix(res.message, strlen(res.message)) != strlen(res.message) ||
            res.test_count > RESULT_TESTS_MAX ||
            res.timing.sample_count > RESULT_SAMPLES_MAX)
            abort();
        result_check(&res, false, &r);
        result_free(&res);
    }
    if (w.artefact != NULL)
        fuzz_artefact(w.artefact);
    worker_result_free(&w);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_hello(text, size);
    fuzz_message(text, size);
    fuzz_result(text, size);
    fuzz_artefact(text);
    free(text);
    return 0;
}
