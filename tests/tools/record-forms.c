/*
 * record-forms ptx TABLE...            writes the PTX of the tables' forms
 * record-forms run CUBIN TABLE...      runs them on the first GPU, writes what they give
 *
 * The second's output for a table is its file *.h200 in tests/golden/ptx/forms, with
 * which test_forms.c compares the emulator. A form has a line there:
 *
 *     KEY HASH VALUE...
 *
 * KEY is the hash of the form's line, and HASH that of all results. The values are those
 * of the first threads, or of all threads where the form is approximate. First results
 * stand before second ones. A cubin for the GPU at hand is made by "ptxas -arch=sm_90a".
 * The driver is loaded when asked for, so that this builds without one.
 */
#include "../unit/ptx_forms.h"

#include <dlfcn.h>

enum { SHOWN = 32 };

static struct {
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*current)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*alloc)(uint64_t *, size_t);
    int (*to_device)(uint64_t, const void *, size_t);
    int (*from_device)(void *, uint64_t, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, void *, void **, void **);
    int (*synchronize)(void);
} cu;

static void
check(int status, const char *what)
{
    if (status != 0) {
        fprintf(stderr, "record-forms: %s: CUDA error %d\n", what, status);
        exit(1);
    }
}

static void *
find(void *library, const char *name)
{
    void *p = dlsym(library, name);

    if (p == NULL)
        forms_die("the driver lacks", name);
    return p;
}

static void
load_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int device;

    if (library == NULL)
        forms_die("no driver", dlerror());
    *(void **)&cu.init = find(library, "cuInit");
    *(void **)&cu.device = find(library, "cuDeviceGet");
    *(void **)&cu.retain = find(library, "cuDevicePrimaryCtxRetain");
    *(void **)&cu.current = find(library, "cuCtxSetCurrent");
    *(void **)&cu.load = find(library, "cuModuleLoadData");
    *(void **)&cu.function = find(library, "cuModuleGetFunction");
    *(void **)&cu.alloc = find(library, "cuMemAlloc_v2");
    *(void **)&cu.to_device = find(library, "cuMemcpyHtoD_v2");
    *(void **)&cu.from_device = find(library, "cuMemcpyDtoH_v2");
    *(void **)&cu.launch = find(library, "cuLaunchKernel");
    *(void **)&cu.synchronize = find(library, "cuCtxSynchronize");
    check(cu.init(0), "cuInit");
    check(cu.device(&device, 0), "cuDeviceGet");
    check(cu.retain(&context, device), "cuDevicePrimaryCtxRetain");
    check(cu.current(context), "cuCtxSetCurrent");
}

static void *
load_cubin(const char *path)
{
    FILE *f = fopen(path, "rb");
    static char image[64 << 20];
    void *module;

    if (f == NULL || fread(image, 1, sizeof image, f) == 0)
        forms_die("cannot be read", path);
    fclose(f);
    check(cu.load(&module, image), "cuModuleLoadData");
    return module;
}

static void
run_case(void *module, const struct form_case *c, size_t number, uint64_t in,
         uint64_t out)
{
    static uint64_t operands[CASE_INPUT_BYTES / 8], results[CASE_OUTPUT_BYTES / 8];
    char name[24];
    void *function, *parameters[] = {&out, &in};
    size_t sets = strlen(c->results), shown = c->tolerance != 0 ? CASES : SHOWN;

    fill_operands(c, operands);
    memset(results, 0, sizeof results);
    snprintf(name, sizeof name, "t%zu", number);
    check(cu.function(&function, module, name), name);
    check(cu.to_device(in, operands, sizeof operands), "copying");
    check(cu.to_device(out, results, sizeof results), "copying");
    check(cu.launch(function, CASES / CASE_BLOCK, 1, 1, CASE_BLOCK, 1, 1, 0, NULL,
                    parameters, NULL),
          c->line);
    check(cu.synchronize(), c->line);
    check(cu.from_device(results, out, sizeof results), "copying");
    printf("%016llx %016llx", (unsigned long long)forms_hash(c->line, strlen(c->line)),
           (unsigned long long)forms_hash(results, sets * CASES * 8));
    for (size_t s = 0; s < sets; s++)
        for (size_t t = 0; t < shown; t++)
            printf(" %llx", (unsigned long long)results[s * CASES + t]);
    printf("\n");
}

int
main(int argc, char **argv)
{
    struct form_cases list = {0};
    bool runs = argc > 2 && strcmp(argv[1], "run") == 0;
    uint64_t in, out;
    void *module;

    if (argc < 3 || (!runs && strcmp(argv[1], "ptx") != 0))
        forms_die("usage", "record-forms ptx TABLE... | run CUBIN TABLE...");
    for (int i = runs ? 3 : 2; i < argc; i++)
        read_forms(&list, argv[i]);
    if (!runs) {
        printf(".version 9.0\n.target sm_90a\n.address_size 64\n%s", forms_prelude);
        for (size_t i = 0; i < list.count; i++)
            write_case(stdout, &list.all[i], i);
        return 0;
    }
    load_driver();
    module = load_cubin(argv[2]);
    check(cu.alloc(&in, CASE_INPUT_BYTES), "cuMemAlloc");
    check(cu.alloc(&out, CASE_OUTPUT_BYTES), "cuMemAlloc");
    for (size_t i = 0; i < list.count; i++)
        run_case(module, &list.all[i], i, in, out);
    return 0;
}
