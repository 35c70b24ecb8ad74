// links: compile sandbox common folder
/* The script that runs the steps of nvcc, with programs in the place of nvcc and of what
 * it calls. */
#include "../fixtures/folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "compile/nvcc_steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#define TIMEOUT "60" /* seconds; a step that waits in vain would hang */

/* nvcc prints a plan as the real one does, and otherwise says that it ran alone. */
static const char NVCC[] =
    "#!/bin/sh\n"
    "for last; do :; done\n"
    "[ \"$last\" = --dryrun ] || { echo alone; exit 0; }\n"
    "cat >&2 <<'PLAN'\n"
    "#$ _SPACE_= \n"
    "#$ _CUDART_=cudart\n"
    "#$ gcc -std=c++17 -E -o \"a.cpp4.ii\" \n"
    "#$ cudafe++ --gen_c_file_name \"a b\" --gen_module_id_file --last \n"
    "#$ gcc -D__CUDA_ARCH__=800 -E -o \"a.cpp1.ii\" \n"
    "#$ \"cicc\" -arch compute_80\n"
    "#$ fatbinary --cmdline=\"--x \" \n"
    "#$ gcc -std=c++17 -c -o \"object.o\" \n"
    "PLAN\n";

/* Each step says its name and its arguments. */
static const char STEP[] = "#!/bin/sh\n"
                           "printf '%s' \"${0##*/}\"; printf ' [%s]' \"$@\"; echo\n";

static void
program_write(const char *name, const char *text)
{
    char *path = folder_path(name);

    folder_write(name, text);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

static int
programs_make(void **state)
{
    static const char *const STEPS[] = {"gcc", "cudafe++", "cicc", "fatbinary"};

    if (folder_make(state) != 0)
        return -1;
    program_write("nvcc", NVCC);
    for (size_t i = 0; i < sizeof STEPS / sizeof *STEPS; i++)
        program_write(STEPS[i], STEP);
    return 0;
}

/* Runs the script, which prints this and exits so. */
static void
check_run(const char *wanted, int status)
{
    char *command, said[4096];
    FILE *f;
    size_t len;
    int ended;

    folder_write("script", nvcc_steps_script);
    command = xasprintf("cd %s && PATH=%s:$PATH TMPDIR=%s timeout " TIMEOUT
                        " sh script nvcc -c 2>&1",
                        folder, folder, folder);
    f = popen(command, "r");
    assert_non_null(f);
    len = fread(said, 1, sizeof said - 1, f);
    said[len] = '\0';
    ended = pclose(f);
    assert_true(WIFEXITED(ended));
    assert_string_equal(said, wanted);
    assert_int_equal(WEXITSTATUS(ended), status);
    free(command);
}

/* What is printed is in nvcc's order, and cudafe++ is not asked for the module's id. */
static void
steps_are_nvccs(void **state)
{
    (void)state;
    check_run("gcc [-std=c++17] [-E] [-o] [a.cpp4.ii]\n"
              "cudafe++ [--gen_c_file_name] [a b] [--last]\n"
              "gcc [-D__CUDA_ARCH__=800] [-E] [-o] [a.cpp1.ii]\n"
              "cicc [-arch] [compute_80]\n"
              "fatbinary [--cmdline=--x ]\n"
              "gcc [-std=c++17] [-c] [-o] [object.o]\n",
              0);
}

/* cudafe++ ends only when cicc has begun, and the other way round. */
static void
front_ends_run_at_the_same_time(void **state)
{
    (void)state;
    program_write("gcc", "#!/bin/sh\n[ -p a ] || mkfifo a b 2>/dev/null\n:\n");
    program_write("cudafe++", "#!/bin/sh\necho >a; cat b\n");
    program_write("cicc", "#!/bin/sh\ncat a >/dev/null; echo met >b\n");
    program_write("fatbinary", "#!/bin/sh\n:\n");
    check_run("met\n", 0);
}

/* Of a step that fails, nothing behind it is run or shown. */
static void
first_failure_is_told(void **state)
{
    (void)state;
    program_write("cicc", "#!/bin/sh\necho device; exit 2\n");
    program_write("gcc", "#!/bin/sh\n:\n");
    program_write("cudafe++", "#!/bin/sh\n:\n");
    check_run("device\n", 2);
    program_write("cudafe++", "#!/bin/sh\necho host; exit 1\n");
    check_run("host\n", 1);
    program_write("gcc", "#!/bin/sh\necho first; exit 3\n");
    check_run("first\n", 3);
}

/* nvcc runs alone where its plan is another, and where a step is killed: it has words for
 * that. */
static void
nvcc_runs_alone(void **state)
{
    (void)state;
    program_write("cicc", "#!/bin/sh\nkill -9 $$\n");
    check_run("alone\n", 0);
    program_write("cicc", STEP);
    program_write("cudafe++", "#!/bin/sh\nkill -11 $$\n");
    check_run("alone\n", 0);
    program_write("nvcc", "#!/bin/sh\necho '#$ gcc -c' >&2; echo alone\n");
    check_run("#$ gcc -c\nalone\n", 0);
    program_write("nvcc", "#!/bin/sh\necho cannot; exit 4\n");
    check_run("cannot\n", 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, programs_make, folder_remove)
        T(steps_are_nvccs),
        T(front_ends_run_at_the_same_time),
        T(first_failure_is_told),
        T(nvcc_runs_alone),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
