// links: gpu exec ptx
/* What ptxas made of kernels: the file that the owner of an emulated GPU passes, and what
 * kernels then take. */
#include "emulator/gpu/assembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const char ptx[] = ".version 9.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry few()\n{\nret;\n}\n"
                          ".visible .entry many()\n{\nret;\n}\n";

static struct assembly *
read_text(const char *text)
{
    int fd = memfd_create("assembly", MFD_CLOEXEC);
    struct assembly *a;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    a = assembly_read(fd);
    close(fd);
    return a;
}

static void
test_registers(void **state)
{
    struct machine_options o = {.threads = 1};
    struct machine *m = machine_new(&o);
    struct fault f = {0};
    struct module *mod = module_load(m, ptx, sizeof ptx - 1, &f);
    struct assembly *a = read_text("warpjudge-assembly 1\nimage abc\n"
                                   "many 142 0 0\nfew 8 16 0\nother 9 0 0\n");
    struct kernel *few = module_kernel(mod, "few"), *many = module_kernel(mod, "many");
    struct launch l = {.grid = {1, 1, 1}, .block = {1024, 1, 1}};

    (void)state;
    assert_non_null(a);
    assert_int_equal(kernel_registers(many), 16); /* the estimate */
    assembly_apply(NULL, "abc", mod);
    assembly_apply(a, "abd", mod);
    assert_int_equal(kernel_registers(many), 16);
    assert_int_equal(kernel_blocks_per_sm(many, 1024, 0), 2);
    assert_int_equal(machine_launch(m, many, &l, &f), 0);
    assembly_apply(a, "abc", mod);
    assert_int_equal(kernel_registers(many), 142);
    assert_int_equal(kernel_registers(few), 8);
    assert_int_equal(kernel_blocks_per_sm(many, 256, 0), 1);
    assert_int_equal(kernel_blocks_per_sm(few, 1024, 0), 2);
    assert_int_equal(machine_launch(m, few, &l, &f), 0);
    assert_int_equal(machine_launch(m, many, &l, &f), -1);
    assert_int_equal(f.kind, FAULT_OUT_OF_RESOURCES);
    assert_non_null(strstr(f.text, "142 registers a thread"));
    assert_non_null(strstr(f.text, "at most 448 threads; it has 1024"));
    l.block[0] = 448;
    assert_int_equal(machine_launch(m, many, &l, &f), 0);
    assembly_free(a);
    machine_free(m);
}

static void
test_damaged(void **state)
{
    static const char *const texts[] = {
        "",
        "warpjudge-assembly 1\n",
        "warpjudge-assembly 2\nimage abc\n",
        "warpjudge-assembly 1\nimage abc\nk\n",
        "warpjudge-assembly 1\nimage abc\nk 1 2\n",
        "warpjudge-assembly 1\nimage abc\nk x y z\n",
    };
    struct assembly *a;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(read_text(texts[i]));
    assert_null(assembly_read(-1));
    a = read_text("warpjudge-assembly 1\nimage abc\n"); /* a program without kernels */
    assert_non_null(a);
    assembly_free(a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
