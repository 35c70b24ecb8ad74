// links: compiler compile sandbox common compile_job
/* Which libraries a submission may include and link, by the problem's spec. */
#include "../fixtures/compile_job.h"

#include "base/file.h"
#include "compile/build.h"
#include "compile/libraries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
libraries_are_those_of_the_spec(void **state)
{
    static const char calls[] =
        "struct cublasContext;\n"
        "extern \"C\" int cublasCreate_v2(cublasContext **);\n"
        "extern \"C\" void solve(const float *A, int8_t *B, int N,"
        " double x) { cublasContext *c; cublasCreate_v2(&c); }\n";
    static const struct {
        const char *header;
        unsigned libraries;
        bool gpu;
        const char *said; /* NULL: it compiles */
    } cases[] = {
        {"<cub/config.cuh>", LIBRARIES_DEFAULT, false, NULL},
        {"<cub/config.cuh>", LIBRARY_BIT(LIBRARY_CUBLAS), false,
         "k.cu:1: cub/config.cuh belongs to CUB, which is not among the "
         "libraries that "
         "this problem allows (it allows cuBLAS)"},
        {"<cub/config.cuh>", 0, true, "(it allows none)"},
        {"<cub/nonsense.cuh>", LIBRARIES_DEFAULT, false, "No such file"},
        {"<thrust/version.h>", LIBRARIES_DEFAULT, false, NULL},
        {"<cuda/std/cstddef>", 0, false, NULL},
        {"<cooperative_groups.h>", 0, false, NULL},
        {"<curand_kernel.h>", LIBRARIES_DEFAULT, false, NULL},
        {"<cublas_v2.h>", LIBRARIES_DEFAULT, false,
         "k.cu:1: cublas_v2.h belongs to cuBLAS, which is not among the libraries that "
         "this problem allows (it allows CUB, Thrust and cuRAND's device functions)"},
        {"<cublas_v2.h>", LIBRARY_BIT(LIBRARY_CUBLAS), false,
         "k.cu:1: cublas_v2.h belongs to cuBLAS, which is not available on emu"},
        {"<cublas_v2.h>", LIBRARY_BIT(LIBRARY_CUFFT), true, "(it allows cuFFT)"},
        {"<cudnn.h>", LIBRARIES_DEFAULT, true, "cudnn.h belongs to cuDNN, which is not"},
        /* Declared by hand: then it is the link line that does not have it. */
        {NULL, LIBRARIES_DEFAULT, true, "used but not defined: 'cublasCreate_v2'"},
        {NULL, LIBRARIES_DEFAULT, false, "used but not defined, or not available on emu"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem p = compile_problem;
        char *source = cases[i].header != NULL
                           ? xasprintf("#include %s\n%s", cases[i].header, compile_good)
                           : xstrdup(calls);
        char *folder = compile_job_begin("libraries", source, strlen(source));
        struct compile_result result;

        p.libraries = cases[i].libraries;
        result = compile_job_for(folder, "k.cu", "cache", cases[i].gpu, &p);
        if (result.verdict == VERDICT_JUDGE_ERROR ||
            result.ok != (cases[i].said == NULL) ||
            (!result.ok && strstr(result.message, cases[i].said) == NULL))
            fail_msg("case %zu: %s", i, result.message);
        compile_result_free(&result);
        compile_job_end(folder);
        free(source);
    }
}

/* Where the toolkit has the library at all: many installations leave it out. */
static void
an_allowed_library_is_linked(void **state)
{
    static const char source[] =
        "#include <cublas_v2.h>\n"
        "extern \"C\" void solve(const float *A, int8_t *B, int N, double x)\n"
        "{ cublasHandle_t h; cublasCreate(&h); cublasDestroy(h); }\n";
    char *library = xasprintf("%s/lib64/libcublas.so", compile_config.cuda_root);
    struct problem p = compile_problem;
    struct compile_result result;
    char *folder;

    (void)state;
    p.libraries = LIBRARY_BIT(LIBRARY_CUBLAS);
    if (access(library, F_OK) == 0) {
        folder = compile_job_begin("cublas", source, sizeof source - 1);
        result = compile_job_for(folder, "k.cu", "cache", true, &p);
        if (!result.ok)
            fail_msg("%s", result.message);
        compile_result_free(&result);
        compile_job_end(folder);
    }
    free(library);
}

/* --- the folder of headers ---------------------------------------------- */

/* Calls `found` with the path of each entry of a folder, and returns how many there are.
 */
static int
each_entry(const char *folder, void (*found)(const char *path))
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    int count = 0;

    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char *path = xasprintf("%s/%s", folder, e->d_name);

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            count++;
            if (found != NULL)
                found(path);
        }
        free(path);
    }
    closedir(d);
    return count;
}

static void
compile_with(const char *cache, unsigned libraries, const char *header)
{
    static int number; /* so that no program is in the cache */
    struct problem p = compile_problem;
    char *source = xasprintf("// %d\n#include <%s>\n%s", number++, header, compile_good);
    char *folder = compile_job_begin("headers", source, strlen(source));
    struct compile_result result;

    p.libraries = libraries;
    result = compile_job_for(folder, "k.cu", cache, false, &p);
    if (!result.ok)
        fail_msg("%s", result.message);
    compile_result_free(&result);
    compile_job_end(folder);
    free(source);
}

static void
remove_runtime_header(const char *folder)
{
    char *path = xasprintf("%s/cuda_runtime.h", folder);

    assert_int_equal(unlink(path), 0);
    free(path);
}

static void
links_to_headers_are_shared(void **state)
{
    char *folder = xasprintf("%s/shared/headers", compile_scratch);

    (void)state;
    compile_with("shared", LIBRARIES_DEFAULT, "cub/config.cuh");
    assert_int_equal(each_entry(folder, NULL), 1);
    compile_with("shared", LIBRARIES_DEFAULT, "cuda_fp16.h");
    assert_int_equal(each_entry(folder, NULL), 1);
    compile_with("shared", 0, "cuda_fp16.h");
    assert_int_equal(each_entry(folder, NULL), 2);
    /* A compile without a header would blame the submission. */
    (void)each_entry(folder, remove_runtime_header);
    compile_with("shared", LIBRARIES_DEFAULT, "cuda_runtime.h");
    compile_with("shared", 0, "cuda_runtime.h");
    assert_int_equal(each_entry(folder, NULL), 2);
    free(folder);
}

/* What a build folder has of headers is one link, because each file more is written to
 * the file system's journal. */
static void
a_build_folder_has_few_entries(void **state)
{
    char *cache = xasprintf("%s/few", compile_scratch);
    char *folder = xasprintf("%s/few-build", compile_scratch);
    struct buf source = {0};
    const struct function function = {.signature = "void solve()"};
    const struct target t = {.config = &compile_config,
                             .function = &function,
                             .kind = PROGRAM_EMU,
                             .arch = "compute_80",
                             .file_name = "k.cu",
                             .source = &source};
    struct report r = {0};
    struct build b;

    (void)state;
    buf_puts(&source, "int x;");
    assert_int_equal(build_open(&t, cache, folder, &b, &r), 0);
    assert_int_equal(each_entry(folder, NULL), 4);
    build_close(&b);
    buf_free(&source);
    free(cache);
    free(folder);
}

static void
a_cache_that_keeps_nothing_is_no_failure(void **state)
{
    char *cache = xasprintf("%s/file", compile_scratch);
    struct report r = {0};

    (void)state;
    assert_int_equal(file_write(cache, "", 0, &r), 0);
    compile_with("file", LIBRARIES_DEFAULT, "cub/config.cuh");
    free(cache);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_those_of_the_spec),
        cmocka_unit_test(an_allowed_library_is_linked),
        cmocka_unit_test(links_to_headers_are_shared),
        cmocka_unit_test(a_build_folder_has_few_entries),
        cmocka_unit_test(a_cache_that_keeps_nothing_is_no_failure),
    };

    return cmocka_run_group_tests(tests, compile_set_up, compile_tear_down);
}
