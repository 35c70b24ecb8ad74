// links: device gpu_owner sandbox common folder
/* Which device nodes a submission gets, on a folder that stands for a machine's folder.
 */
#include "../fixtures/folder.h"

#include "base/buf.h"
#include "base/file.h"
#include "device/gpu_nodes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPU_ID "GPU-0f0e0d0c-0b0a-0908-0706-050403020100"

/* A GPU as the driver describes it, tabs and all. */
static void
put_gpu(const char *address, const char *uuid, int minor)
{
    char *path = xasprintf("proc/driver/nvidia/gpus/%s/information", address);
    char *text =
        xasprintf("Model: \t\t NVIDIA H200\nIRQ:   \t\t 45\nGPU UUID: \t %s\n"
                  "Bus Location: \t %s\nDevice Minor: \t %d\nGPU Excluded:\t No\n",
                  uuid, address, minor);

    folder_write(path, text);
    free(text);
    free(path);
}

static int
setup(void **state)
{
    static const char *const nodes[] = {"dev/nvidiactl", "dev/nvidia-uvm",
                                        "dev/nvidia0",   "dev/nvidia1",
                                        "dev/nvidia12",  "dev/nvidia-modeset"};

    assert_int_equal(folder_make(state), 0);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        folder_write(nodes[i], "");
    return 0;
}

/* Exactly these, in this order; paths below folder, separated by blanks. second: NULL, or
 * another GPU. */
static void
expect_two(const char *second, const char *wanted, int rc)
{
    const char *const ids[] = {GPU_ID, second, NULL};
    struct gpu_nodes nodes;
    struct buf text = {0};

    assert_int_equal(gpu_nodes_find(folder, ids, &nodes), rc);
    for (int i = 0; nodes.path[i] != NULL; i++)
        buf_printf(&text, "%s%s", i > 0 ? " " : "", nodes.path[i] + strlen(folder));
    assert_string_equal(buf_str(&text), wanted);
    buf_free(&text);
    gpu_nodes_free(&nodes);
}

static void
expect(const char *wanted, int rc)
{
    expect_two(NULL, wanted, rc);
}

static void
the_gpus_own_node(void **state)
{
    (void)state;
    put_gpu("0000:17:00.0", "GPU-ffffffff-0b0a-0908-0706-050403020100", 0);
    put_gpu("0000:3b:00.0", GPU_ID, 12);
    put_gpu("0000:5d:00.0", "GPU-eeeeeeee-0b0a-0908-0706-050403020100", 1);
    expect("/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia12", 0);
}

static void
two_gpus(void **state)
{
    (void)state;
    put_gpu("0000:17:00.0", "GPU-ffffffff-0b0a-0908-0706-050403020100", 0);
    put_gpu("0000:3b:00.0", GPU_ID, 12);
    put_gpu("0000:5d:00.0", "GPU-eeeeeeee-0b0a-0908-0706-050403020100", 1);
    expect_two("GPU-ffffffff-0b0a-0908-0706-050403020100",
               "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia12 /dev/nvidia0", 0);
    /* Of one it is not known: all, each once. */
    expect_two("GPU-dddddddd-0b0a-0908-0706-050403020100",
               "/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia12",
               -1);
}

static void
unknown_gpu(void **state)
{
    (void)state;
    put_gpu("0000:17:00.0", "GPU-(not known before it is used)", 0);
    expect("/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia12", -1);
}

/* As in a container without the driver's folder in /proc. */
static void
only_one_gpu(void **state)
{
    char *path[2] = {xasprintf("%s/dev/nvidia0", folder),
                     xasprintf("%s/dev/nvidia1", folder)};

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(remove(path[i]), 0);
        free(path[i]);
    }
    expect("/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia12", 0);
}

/* The driver's number is the host's, the container has renamed the node. */
static void
number_without_node(void **state)
{
    (void)state;
    put_gpu("0000:3b:00.0", GPU_ID, 5);
    expect("/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia12", -1);
}

static void
damaged_information(void **state)
{
    (void)state;
    folder_write("proc/driver/nvidia/gpus/0000:3b:00.0/information", "GPU UUID: " GPU_ID);
    folder_write("proc/driver/nvidia/gpus/0000:5b:00.0/information",
                 "GPU UUID: " GPU_ID "\nDevice Minor: none\n");
    expect("/dev/nvidiactl /dev/nvidia-uvm /dev/nvidia0 /dev/nvidia1 /dev/nvidia12", -1);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_gpus_own_node, setup, folder_remove),
        cmocka_unit_test_setup_teardown(two_gpus, setup, folder_remove),
        cmocka_unit_test_setup_teardown(unknown_gpu, setup, folder_remove),
        cmocka_unit_test_setup_teardown(only_one_gpu, setup, folder_remove),
        cmocka_unit_test_setup_teardown(number_without_node, setup, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_information, setup, folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
