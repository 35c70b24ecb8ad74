// links: arbiter device gpu_owner sandbox common submission
/*
 * The real runner in the real sandbox, and what it loads: shared objects in C, linked as
 * submissions are.
 */
#include "../fixtures/folder.h"
#include "../fixtures/submission.h"

#include "arbiter/calling/host.h"
#include "arbiter/calling/runner_link.h"
#include "base/config.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS 600000 /* for what hangs; a busy machine comes nowhere near */

#define CONSTRUCTOR(body)                                                                \
    "__attribute__((constructor)) static void first(void) { " body " }"

/* FOLDER/object. beside: what it has beside its function. */
static void
compile(const char *object, const char *beside, const char *entry)
{
    char *source = xasprintf("#include <stdio.h>\n#include <sys/socket.h>\n%s\n"
                             "void warpjudge_entry(void *const *a) { %s }\n",
                             beside, entry);

    submission_compile(object, source,
                       "-Wl,-z,defs -Wl,--version-script=harness/runner/guest.map");
    free(source);
}

static struct runner_link *
start_with(const char *variable, bool one_queue)
{
    const struct device_runner device = {.gpu_socket = -1, .env = {variable}};
    struct runner_options options = {.device = &device, .one_queue = one_queue};
    struct runner_link *l;
    struct config config;
    struct report r = {0};
    char *program;

    if (config_load(&config, &r) != 0)
        fail_msg("%s", r.text);
    program = config_libexec(&config, "warpjudge-runner");
    options.program = program;
    if (runner_link_start(&options, &l, &r) != 0)
        fail_msg("%s", r.text);
    free(program);
    config_free(&config);
    return l;
}

static struct runner_link *
start(const char *variable)
{
    return start_with(variable, false);
}

static void
load(struct runner_link *l, const char *object)
{
    char *path = xasprintf("%s/%s", folder, object);
    struct report r = {0};

    if (runner_link_load(l, path, &r) != 0)
        fail_msg("%s", r.text);
    free(path);
}

/* A request, its answer's status; the answer itself if somebody wants it. */
static int32_t
ask(struct runner_link *l, enum runner_op op, struct runner_reply *out)
{
    const struct runner_request request = {.op = op};
    struct runner_reply reply;

    runner_link_send(l, &request, -1);
    assert_int_equal(runner_link_wait(l,
                                      op == RUNNER_RELEASE ? RUNNER_DONE : RUNNER_READY,
                                      ANSWER_MS, &reply),
                     RUNNER_ANSWERED);
    if (out != NULL)
        *out = reply;
    return reply.status;
}

static void
call(struct runner_link *l)
{
    assert_int_equal(ask(l, RUNNER_CALL, NULL), 0);
    assert_int_equal(ask(l, RUNNER_RELEASE, NULL), 0);
}

#define SAYS(text) "puts(\"" text "\"); fflush(stdout);"

static void
nothing_runs_before_it_is_loaded(void **state)
{
    struct runner_link *l = start(NULL);
    struct report r = {0};

    (void)state;
    compile("object", CONSTRUCTOR(SAYS("constructed")), SAYS("called"));
    assert_int_equal(runner_link_wake(l, &r), 0);
    assert_int_equal(runner_link_output(l)->len, 0);
    load(l, "object");
    assert_int_equal(runner_link_wake(l, &r), 0);
    assert_string_equal(buf_str(runner_link_output(l)), "constructed\n");
    call(l);
    assert_string_equal(buf_str(runner_link_output(l)), "constructed\ncalled\n");
    runner_link_free(l);
}

/* cuInit reads it. */
static void
one_queue_is_asked_for_in_the_environment(void **state)
{
    (void)state;
    compile("object", "#include <stdlib.h>",
            "const char *s = getenv(\"CUDA_DEVICE_MAX_CONNECTIONS\");"
            "puts(s != NULL ? s : \"as usual\"); fflush(stdout);");
    for (int one = 0; one <= 1; one++) {
        struct runner_link *l = start_with(NULL, one == 1);

        load(l, "object");
        call(l);
        assert_string_equal(buf_str(runner_link_output(l)),
                            one == 1 ? "1\n" : "as usual\n");
        runner_link_free(l);
    }
}

static void
a_call_that_is_done_says_how_the_host_was(void **state)
{
    struct runner_link *l = start(NULL);
    struct runner_reply reply;
    struct runner_host host;

    (void)state;
    compile("object", "#include <unistd.h>", "usleep(3000);");
    load(l, "object");
    assert_int_equal(ask(l, RUNNER_CALL, &reply), 0);
    assert_int_equal(host_linux.runner(&reply).cpu, -1);
    assert_int_equal(ask(l, RUNNER_RELEASE, &reply), 0);
    assert_string_equal(reply.text, "");
    host = host_linux.runner(&reply);
    assert_true(host.cpu >= 0);
    assert_true(host.launch_ns >= 3000000 && host.preempted >= 0);
    runner_link_free(l);
}

static void
a_host_that_no_runner_of_ours_would_tell_of_is_not_known(void **state)
{
    static const struct {
        struct runner_reply reply;
        bool known;
    } cases[] = {
        {{.op = RUNNER_DONE, .host = {0, 0, 0, 0}}, true},
        {{.op = RUNNER_DONE, .host = {INT64_MAX, INT64_MAX, CPU_SETSIZE - 1, 0}}, true},
        {{.op = RUNNER_DONE, .host = {5, 5, CPU_SETSIZE, 0}}, false},
        {{.op = RUNNER_DONE, .host = {5, 5, -1, 0}}, false},
        {{.op = RUNNER_DONE, .host = {-1, 5, 3, 0}}, false},
        {{.op = RUNNER_DONE, .host = {5, -1, 3, 0}}, false},
        {{.op = RUNNER_DONE, .status = 1, .host = {5, 5, 3, 0}}, false},
        {{.op = RUNNER_READY, .host = {5, 5, 3, 0}}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct runner_host host = host_linux.runner(&cases[i].reply);
        const struct runner_host want =
            cases[i].known ? cases[i].reply.host : (struct runner_host){.cpu = -1};

        assert_memory_equal(&host, &want, sizeof host);
    }
}

/* Each has its own of what both define; and their descriptors, by which alone they could
 * be told apart, are closed in between. */
static void
calls_go_to_what_was_loaded_last(void **state)
{
    struct runner_link *l = start(NULL);

    (void)state;
    compile("first", "void mine(void) { puts(\"1\"); }", "mine();");
    compile("second", "void mine(void) { puts(\"2\"); }", "mine();");
    load(l, "first");
    call(l);
    load(l, "second");
    call(l);
    call(l);
    load(l, "first");
    call(l);
    assert_string_equal(buf_str(runner_link_output(l)), "1\n2\n2\n1\n");
    runner_link_free(l);
}

static void
what_cannot_be_loaded_is_told_and_not_called(void **state)
{
    static const struct {
        const char *object, *says;
    } cases[] = {
        {"text", "file too short"},
        {"program", "cannot dynamically load position-independent executable"},
        {"stranger", "undefined symbol: warpjudge_guest"},
        {"needy", "libnowhere.so: cannot open shared object file"},
    };
    struct report r = {0};
    char *path = xasprintf("%s/text", folder);
    char *command =
        xasprintf("cd %s && echo 'int main(void) { return 0; }' >main.c && gcc main.c -o "
                  "program && "
                  "gcc -shared -fPIC main.c -o stranger && "
                  "gcc -shared -fPIC main.c -Wl,-soname,libnowhere.so -o nowhere && "
                  "gcc -shared -fPIC main.c -Wl,--no-as-needed ./nowhere -o needy",
                  folder);

    (void)state;
    if (file_write(path, "hello", 5, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(system(command), 0);
    compile("object", "", SAYS("called"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct runner_link *l = start(NULL);
        struct runner_reply reply;

        load(l, "object");
        call(l);
        load(l, cases[i].object);
        assert_int_equal(runner_link_wait(l, RUNNER_READY, ANSWER_MS, &reply),
                         RUNNER_ANSWERED);
        assert_int_equal(reply.status, RUNNER_UNLOADABLE);
        if (strncmp(reply.text, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("\"%s\" does not begin with \"%s\"", reply.text, cases[i].says);
        assert_int_not_equal(ask(l, RUNNER_CALL, NULL), 0);
        assert_int_not_equal(ask(l, RUNNER_RELEASE, &reply), 0);
        assert_string_equal(reply.text, "nothing is loaded");
        assert_string_equal(buf_str(runner_link_output(l)), "called\n");
        runner_link_free(l);
    }
    free(path);
    free(command);
}

/* What it says before it was asked comes first. */
static void
a_constructor_that_talks_is_heard_too_early(void **state)
{
    struct runner_link *l = start(NULL);
    const struct runner_request request = {.op = RUNNER_DETACH};
    struct runner_reply reply;

    (void)state;
    compile(
        "object",
        CONSTRUCTOR("static unsigned done[122] = {6}; send(3, done, sizeof done, 0);"),
        "");
    load(l, "object");
    runner_link_send(l, &request, -1);
    assert_int_equal(runner_link_wait(l, RUNNER_READY, ANSWER_MS, &reply), RUNNER_LIED);
    runner_link_free(l);
}

/* The sandbox here has no GPU. */
static void
contexts_that_cannot_be_made_are_told(void **state)
{
    struct runner_link *l = start("CUDA_VISIBLE_DEVICES=0");
    struct report r = {0};

    (void)state;
    assert_int_equal(runner_link_wake(l, &r), -1);
    assert_non_null(strstr(r.text, "does not come up"));
    runner_link_free(l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_runs_before_it_is_loaded),
        cmocka_unit_test(one_queue_is_asked_for_in_the_environment),
        cmocka_unit_test(a_call_that_is_done_says_how_the_host_was),
        cmocka_unit_test(a_host_that_no_runner_of_ours_would_tell_of_is_not_known),
        cmocka_unit_test(calls_go_to_what_was_loaded_last),
        cmocka_unit_test(what_cannot_be_loaded_is_told_and_not_called),
        cmocka_unit_test(a_constructor_that_talks_is_heard_too_early),
        cmocka_unit_test(contexts_that_cannot_be_made_are_told),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
