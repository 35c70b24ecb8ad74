// links: exec ptx emulated
/*
 * What ptxas refuses, the emulated GPU refuses: tests/golden/ptx/refused.txt has
 * instructions of both kinds. A kernel that executes a refused one ends with a fault that
 * names it. What ptxas takes runs, or ends with a fault of another kind.
 */
#include "../fixtures/emulated.h"

#include "emulator/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char head[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
    ".reg .pred %p<8>; .reg .b8 %y<8>; .reg .b16 %h<8>; .reg .b32 %r<8>, %f<8>;\n"
    ".reg .b64 %l<8>, %x<8>; .reg .u32 %ru<8>; .reg .f32 %fu<8>;\n";

/* Runs the instruction alone. -1: it is refused, and the fault says why. */
static int
run_alone(struct machine *m, const char *instruction, struct fault *fault)
{
    struct launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    char text[2048], *end = text + sizeof text;
    size_t at = sizeof head - 1;
    struct module *mod;
    int status;

    memcpy(text, head, at);
    at += (size_t)snprintf(text + at, (size_t)(end - text) - at, "%s\nret;\n}\n",
                           instruction);
    assert_true(at < sizeof text);
    mod = module_load(m, text, at, fault);
    if (mod == NULL)
        fail_msg("%s: %s", instruction, fault->text);
    status = machine_launch(m, module_kernel(mod, "k"), &l, fault);
    module_unload(m, mod);
    return status;
}

static void
test_same_as_ptxas(void **state)
{
    static char text[16384], *line, *rest;
    struct machine *m = machine_new(&(struct machine_options){.threads = 1});
    unsigned taken = 0, refused = 0;

    (void)state;
    assert_non_null(m);
    emulated_read("tests/golden/ptx/refused.txt", text, sizeof text);
    for (line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        struct fault fault = {0};
        int status;

        if (line[0] == '#')
            continue;
        status = run_alone(m, line + 2, &fault);
        if (status != (line[0] == '+' ? 0 : -1))
            fail_msg("%s: %s", line, status == 0 ? "it runs" : fault.text);
        if (line[0] == '-') {
            assert_int_equal(fault.kind, FAULT_PTX_UNSUPPORTED);
            assert_non_null(strstr(fault.text, "is not supported by the emulated GPU"));
        }
        taken += line[0] == '+';
        refused += line[0] == '-';
    }
    assert_true(taken >= 25 && refused >= 95);
    machine_free(m);
}

/* The sentence names what is wrong, where it is one field. */
static void
test_discard_is_named(void **state)
{
    struct machine *m = machine_new(&(struct machine_options){.threads = 1});
    struct fault fault = {0};

    (void)state;
    assert_int_equal(run_alone(m, "selp.b32 _, %r1, %r2, %p1;", &fault), -1);
    assert_non_null(strstr(fault.text, "its result cannot be discarded by _"));
    machine_free(m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_ptxas),
        cmocka_unit_test(test_discard_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
