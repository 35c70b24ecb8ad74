// links: daemon sandbox common
/* Which of the machine's CPUs are for what: GPUs, compilers and emu. */
#include "daemon/devices.h"

#include "base/cpus.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device_entry cuda = {.name = (char *)(uintptr_t) "cuda:0"};
static struct device_entry emu = {.name = (char *)(uintptr_t) "emu"};

static struct devices
machine_of(int cpus, int gpus)
{
    struct devices d = {.cpus = cpus};

    for (int i = 0; i < gpus; i++)
        d.entry[d.count++] = cuda;
    d.entry[d.count++] = emu;
    return d;
}

static void
without_a_gpu_all_are_for_all(void **state)
{
    const struct devices d = machine_of(16, 0);

    (void)state;
    assert_int_equal(devices_spare_cpus(&d), 16);
    assert_int_equal(devices_compiler_cpus(&d), 0);
    assert_int_equal(devices_emu_cpus(&d), 0);
}

static void
a_gpu_and_compilers_have_cpus_that_emu_does_not_use(void **state)
{
    const struct devices d = machine_of(16, 1);

    (void)state;
    assert_int_equal(devices_spare_cpus(&d), 12);
    assert_int_equal(devices_compiler_cpus(&d), 12);
    assert_int_equal(devices_emu_cpus(&d), 8);
}

static void
many_gpus_leave_half(void **state)
{
    const struct devices d = machine_of(16, 8);

    (void)state;
    assert_int_equal(devices_compiler_cpus(&d), 8);
    assert_int_equal(devices_emu_cpus(&d), 6);
}

/* A worker asks the same of the CPUs of its job, which has no list of devices. */
static void
a_job_of_eight_cpus_has_four_for_compilers(void **state)
{
    (void)state;
    assert_int_equal(cpus_beside_gpus(8, 0), 8);
    assert_int_equal(cpus_beside_gpus(8, 1), 4);
    assert_int_equal(cpus_beside_gpus(8, 2), 4);
    assert_int_equal(cpus_beside_gpus(1, 1), 1);
    assert_in_range(cpus_allowed(), 1, CPU_SETSIZE);
    cpus_keep_to_last(1);
    assert_int_equal(cpus_allowed(), 1);
}

/* On few CPUs there is no part to give away, but each has one at least. */
static void
small_machines_share(void **state)
{
    (void)state;
    for (int cpus = 1; cpus <= 8; cpus++) {
        const struct devices d = machine_of(cpus, 1);
        const int compilers = devices_compiler_cpus(&d), own = devices_emu_cpus(&d);

        assert_in_range(devices_spare_cpus(&d), 1, cpus);
        assert_in_range(own, compilers > 0, compilers);
    }
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_gpu_all_are_for_all),
        cmocka_unit_test(a_gpu_and_compilers_have_cpus_that_emu_does_not_use),
        cmocka_unit_test(many_gpus_leave_half),
        cmocka_unit_test(small_machines_share),
        cmocka_unit_test(a_job_of_eight_cpus_has_four_for_compilers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
