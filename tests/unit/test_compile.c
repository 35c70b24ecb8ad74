// links: compiler compile sandbox common compile_job
// split: the golden files take nvcc as long as all the other tests together
/*
 * The compile step with the real nvcc. Every file of tests/golden/signatures says in
 * comments what its author must read (`// expect: PART`), must not read (`// expect-not:
 * PART`), or that it passes (`// expect: ok`), as a solution of a problem whose signature
 * is void solve(const float* A, int8_t* B, int N, double x)
 */
#include "../fixtures/compile_job.h"

#include "base/file.h"
#include "base/toolkit.h"
#include "compile/cache.h"
#include "compile/tools.h"
#include "compile/wrapper.h"
#include "compiler/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GOLDEN "tests/golden/signatures"
#define PROGRAM "\177ELF"
#define ASSEMBLY "warpjudge-assembly"

/* compile_problem for those parts that know no problems; no test here reads more of it.
 */
static const struct function function = {
    .signature = "void solve(const float* A, int8_t* B, int N, double x)",
};

static bool
exists(const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s", folder, name);
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

/* --- golden messages ---------------------------------------------------------------- */

/* One `// expect...: TEXT` line against the message; what is wrong goes to failures. */
static void
check_line(const char *name, const char *line, const struct compile_result *result,
           struct buf *failures)
{
    size_t len = strcspn(line, "\n");
    bool negative = strncmp(line, "expect-not: ", 12) == 0;
    char *text = strndup(line + (negative ? 12 : 8), len - (negative ? 12 : 8));

    if (strcmp(text, "ok") == 0 ? !result->ok
                                : (strstr(result->message, text) != NULL) == negative ||
                                      result->verdict != VERDICT_COMPILE_ERROR)
        buf_printf(failures, "%s: expected %s'%s', got %s\n%s\n", name,
                   negative ? "nothing of " : "", text, verdict_name(result->verdict),
                   result->message);
    free(text);
}

static void
check_file(const char *path, struct buf *failures)
{
    const char *name = strrchr(path, '/') + 1;
    struct compile_result result;
    struct report r = {0};
    struct buf source = {0};
    char *folder;
    int lines = 0;

    if (file_read(path, 65536, &source, &r) != 0)
        buf_printf(failures, "%s\n", r.text);
    folder = compile_job_begin(name, buf_str(&source), source.len);
    result = compile_job(folder, name, "cache");
    for (const char *at = buf_str(&source); (at = strstr(at, "// expect")) != NULL;
         at++) {
        check_line(name, at + 3, &result, failures);
        lines++;
    }
    if (lines == 0)
        buf_printf(failures, "%s: says nothing that it expects\n", name);
    if (result.ok != exists(folder, "assembly") || exists(folder, "build-submission"))
        buf_printf(failures, "%s: wrong files are left\n", name);
    compile_job_end(folder);
    compile_result_free(&result);
    buf_free(&source);
}

struct queue {
    glob_t files;
    atomic_size_t next;
    pthread_mutex_t lock;
    struct buf failures;
};

static void *
work(void *argument)
{
    struct queue *q = argument;
    size_t i;

    while ((i = atomic_fetch_add(&q->next, 1)) < q->files.gl_pathc) {
        struct buf failures = {0};

        check_file(q->files.gl_pathv[i], &failures);
        pthread_mutex_lock(&q->lock);
        buf_puts(&q->failures, buf_str(&failures));
        pthread_mutex_unlock(&q->lock);
        buf_free(&failures);
    }
    return NULL;
}

static void
test_golden_signatures(void **state)
{
    struct queue q = {.lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t helper;

    (void)state;
    assert_int_equal(glob(GOLDEN "/*.cu", 0, NULL, &q.files), 0);
    assert_int_equal(pthread_create(&helper, NULL, work, &q), 0);
    work(&q);
    pthread_join(helper, NULL);
    globfree(&q.files);
    if (q.failures.len > 0)
        print_error("%s", buf_str(&q.failures));
    assert_int_equal(q.failures.len, 0);
    buf_free(&q.failures);
}

/* --- the cache ---------------------------------------------------------------------- */

/* The cache's entry that begins so: there is one of each kind. The caller frees it. */
static char *
only_entry(const char *cache, const char *begin)
{
    char *pattern = xasprintf("%s/%s/v1/*/*", compile_scratch, cache), *path = NULL;
    struct report r = {0};
    glob_t found;

    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 3);
    for (int i = 0; i < 3; i++) {
        struct buf bytes = {0};

        assert_int_equal(file_read(found.gl_pathv[i], 1 << 26, &bytes, &r), 0);
        if (strncmp(buf_str(&bytes), begin, strlen(begin)) == 0) {
            assert_null(path);
            path = xstrdup(found.gl_pathv[i]);
        }
        buf_free(&bytes);
    }
    assert_non_null(path);
    globfree(&found);
    free(pattern);
    return path;
}

static void
damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+");

    assert_non_null(f);
    assert_int_equal(fseek(f, at, SEEK_SET), 0);
    assert_true(fputs("damage", f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void
test_cache(void **state)
{
    char *folder = compile_job_begin("cached", compile_good, strlen(compile_good));
    struct compile_result first = compile_job(folder, "a.cu", "cache2"), second, third;
    char *entry = only_entry("cache2", PROGRAM),
         *assembly = only_entry("cache2", ASSEMBLY);

    (void)state;
    assert_true(first.ok && !first.cached);
    assert_true(first.ptx.size == 0 && first.source.size > 0); /* it has no kernel */
    second = compile_job(folder, "a.cu", "cache2");
    assert_true(second.ok && second.cached);
    assert_string_equal(second.source.hex, first.source.hex);
    damage(entry, 2000);
    third = compile_job(folder, "a.cu", "cache2");
    assert_true(third.ok && !third.cached);
    free(entry);
    entry = only_entry("cache2", PROGRAM); /* the damaged one is gone */
    damage(assembly, 20);
    compile_result_free(&third);
    third = compile_job(folder, "a.cu", "cache2");
    assert_true(third.ok && !third.cached); /* no program without its assembly */
    free(assembly);
    assembly = only_entry("cache2", ASSEMBLY);
    free(assembly);
    free(entry);
    compile_job_end(folder);
    compile_result_free(&first);
    compile_result_free(&second);
    compile_result_free(&third);
}

static void
key_of(const char *source, const char *name, const char *arch, char key[CACHE_KEY_LEN])
{
    struct buf text = {0};
    struct report r = {0};
    const struct target t = {.config = &compile_config,
                             .function = &function,
                             .kind = PROGRAM_EMU,
                             .arch = arch,
                             .file_name = name,
                             .source = &text};

    buf_puts(&text, source);
    assert_int_equal(cache_key(&t, key, &r), 0);
    buf_free(&text);
}

static void
test_key_covers_inputs(void **state)
{
    char base[CACHE_KEY_LEN], other[CACHE_KEY_LEN];

    (void)state;
    key_of(compile_good, "a.cu", "compute_80", base);
    key_of(compile_good, "a.cu", "compute_80", other);
    assert_string_equal(base, other);
    key_of("//", "a.cu", "compute_80", other);
    assert_string_not_equal(base, other);
    key_of(compile_good, "b.cu", "compute_80", other);
    assert_string_not_equal(base, other);
    key_of(compile_good, "a.cu", "compute_90", other);
    assert_string_not_equal(base, other);
}

/* --- ptxas -------------------------------------------------------------------------- */

/* The assembly of a source that compiles; the caller frees it. */
static char *
assembly_of(const char *name, const char *source)
{
    char *folder = compile_job_begin(name, source, strlen(source));
    char *path = xasprintf("%s/assembly", folder);
    struct compile_result result = compile_job(folder, "a.cu", "cache3");
    struct buf text = {0};
    struct report r = {0};

    if (!result.ok || file_read(path, 1 << 20, &text, &r) != 0)
        fail_msg("%s%s", result.message, r.text);
    assert_true(digest_is_valid(result.ptx.hex) && result.ptx.size > 5);
    compile_result_free(&result);
    compile_job_end(folder);
    free(path);
    return buf_take(&text);
}

static void
test_assembly(void **state)
{
    static const char source[] =
        "__global__ void empty() {}\n"
        /* What a warning would quote must not pass as ptxas's own words. */
        "__global__ void shared(float *p)\n{\n"
        "    __shared__ float a[100];\n"
        "    asm volatile(\".pragma \\\"x\\nptxas info    : Used 1 registers\\\";\");\n"
        "    a[threadIdx.x] = p[threadIdx.x];\n    __syncthreads();\n"
        "    p[threadIdx.x] = a[threadIdx.x ^ 1];\n}\n"
        "extern \"C\" void solve(const float *A, int8_t *B, int N, double x)\n"
        "{\n    empty<<<1, 1>>>();\n    shared<<<1, 32>>>((float *)B);\n}\n";
    char *text = assembly_of("assembly", source), *line;
    unsigned registers, stack, shared;

    (void)state;
    assert_memory_equal(text, "warpjudge-assembly 1\nimage ", 27);
    line = strstr(text, "_Z5emptyv ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "_Z5emptyv %u %u %u", &registers, &stack, &shared), 3);
    assert_in_range(registers, 1, 16);
    assert_int_equal(stack + shared, 0);
    line = strstr(text, "_Z6sharedPf ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "_Z6sharedPf %u %u %u", &registers, &stack, &shared),
                     3);
    assert_in_range(registers, 5, 32);
    assert_int_equal(shared, 400);
    free(text);
}

/* --- which nvcc --------------------------------------------------------------------- */

static void
test_no_nvcc(void **state)
{
    char *folder = compile_job_begin("no-nvcc", compile_good, strlen(compile_good));
    struct config without = compile_config;
    char *nvcc = compile_config.nvcc;
    struct compile_result result;

    (void)state;
    compile_config.nvcc = NULL;
    result = compile_job(folder, "a.cu", "cache");
    compile_config = without;
    compile_config.nvcc = nvcc;
    assert_int_equal(result.verdict, VERDICT_JUDGE_ERROR);
    assert_non_null(strstr(result.message, "nvcc was not found"));
    compile_result_free(&result);
    compile_job_end(folder);
}

/* A toolkit's own nvcc is known by the profile beside it, and not started: that would
 * take longer than much of a judgement. This one could not answer. */
static void
test_own_nvcc_is_not_asked(void **state)
{
    char *bin = xasprintf("%s/kit/bin", compile_scratch),
         *kit = xasprintf("%s/kit", compile_scratch);
    char *nvcc = xasprintf("%s/nvcc", bin), *link = xasprintf("%s/nvcc", compile_scratch);
    char *profile = xasprintf("%s/nvcc.profile", bin);
    struct report r = {0};
    char *root;

    (void)state;
    assert_int_equal(file_mkdirs(bin, &r), 0);
    assert_int_equal(file_write(nvcc, "#!/bin/sh\nexit 1\n", 17, &r), 0);
    assert_int_equal(chmod(nvcc, 0755), 0);
    assert_int_equal(file_write(profile, "", 0, &r), 0);
    assert_int_equal(symlink(nvcc, link), 0);
    root = toolkit_root(nvcc);
    assert_non_null(root);
    assert_string_equal(root, kit);
    free(root);
    root = toolkit_root(link);
    assert_non_null(root);
    assert_string_equal(root, kit);
    free(root);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(file_remove_tree(kit, &r), 0);
    free(bin);
    free(kit);
    free(nvcc);
    free(link);
    free(profile);
}

/* PATH often has a script that starts the toolkit's nvcc from elsewhere. */
static void
test_wrapped_nvcc(void **state)
{
    char *wrapper = xasprintf("%s/nvcc", compile_scratch);
    char *script =
        xasprintf("#!/bin/sh\nexec %s/bin/nvcc \"$@\"\n", compile_config.cuda_root);
    struct report r = {0};
    char *root;

    (void)state;
    assert_int_equal(file_write(wrapper, script, strlen(script), &r), 0);
    assert_int_equal(chmod(wrapper, 0755), 0);
    root = toolkit_root(wrapper);
    assert_non_null(root);
    assert_string_equal(root, compile_config.cuda_root);
    free(root);
    assert_int_equal(file_write(wrapper, "#!/bin/sh\n", 10, &r), 0);
    assert_null(toolkit_root(wrapper));
    assert_int_equal(unlink(wrapper), 0);
    free(script);
    free(wrapper);
}

/* --- references --------------------------------------------------------------------- */

static int
reference_of(const char *slug, char *folder, struct report *r)
{
    char *cache_dir = xasprintf("%s/cache", compile_scratch);
    struct job job = {.device = (char *)(uintptr_t) "emu",
                      .arch = (char *)(uintptr_t) "compute_80",
                      .cache_dir = cache_dir};
    struct problem *p = problem_load(compile_config.problems, slug, r);
    int rc = p == NULL ? -1 : compile_reference(&compile_config, &job, folder, p, r);

    problem_free(p);
    free(cache_dir);
    return rc;
}

static void
test_reference(void **state)
{
    char *folder = compile_job_begin("reference", compile_good, strlen(compile_good));
    struct report r = {0};
    struct buf kind = {0};
    char *path = xasprintf("%s/reference.kind", folder);

    (void)state;
    if (reference_of("vector-addition", folder, &r) != 0)
        fail_msg("%s", r.text);
    assert_true(exists(folder, "reference"));
    assert_int_equal(file_read(path, 10, &kind, &r), 0);
    assert_string_equal(buf_str(&kind), "c");
    buf_free(&kind);
    free(path);
    compile_job_end(folder);
}

static void
test_broken_reference(void **state)
{
    static const char source[] = "void solve(float *A) { undeclared = 1; }\n";
    char *folder = compile_job_begin("broken", compile_good, strlen(compile_good));
    char *path = xasprintf("%s/reference.c", folder);
    char *cache_dir = xasprintf("%s/cache", compile_scratch);
    struct job job = {.device = (char *)(uintptr_t) "emu",
                      .arch = (char *)(uintptr_t) "compute_80",
                      .cache_dir = cache_dir};
    struct problem broken = compile_problem;
    struct report r = {0};

    (void)state;
    broken.folder = folder;
    broken.has_reference_c = true;
    assert_int_equal(file_write(path, source, sizeof source - 1, &r), 0);
    assert_int_equal(compile_reference(&compile_config, &job, folder, &broken, &r), -1);
    assert_non_null(strstr(r.text, "the reference of golden does not compile: "
                                   "reference.c:1:6: error: conflicting types for"));
    free(path);
    free(cache_dir);
    compile_job_end(folder);
}

/* Who makes a program that others want, too, has its claim until it ends. */
static void
one_process_makes_what_several_want(void **state)
{
    static const char key[] = "0123456789abcdef", other[] = "1123456789abcdef";
    int said[2], told[2], fd;
    bool waited = true;
    pid_t pid;
    char c;

    (void)state;
    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(told), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct timespec while_it_compiles = {.tv_nsec = 50000000};

        if (cache_claim(compile_scratch, key, &waited) < 0 || waited ||
            write(said[1], "1", 1) != 1 || read(told[0], &c, 1) != 1)
            _exit(1);
        (void)nanosleep(&while_it_compiles, NULL);
        _exit(write(said[1], "2", 1) == 1 ? 0 : 1);
    }
    assert_int_equal(read(said[0], &c, 1), 1);
    fd = cache_claim(compile_scratch, other, &waited); /* which nobody has */
    assert_true(fd >= 0 && !waited);
    close(fd);
    assert_int_equal(write(told[1], ".", 1), 1);
    fd = cache_claim(compile_scratch, key, &waited);
    assert_true(fd >= 0 && waited);
    assert_int_equal(fcntl(said[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(said[0], &c, 1), 1); /* it was there before the claim fell */
    assert_int_equal(c, '2');
    close(fd);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    for (int i = 0; i < 2; i++) {
        close(said[i]);
        close(told[i]);
    }
    assert_int_equal(cache_claim("/dev/null/cache", key, &waited), -1);
    assert_false(waited);
}

/* Does a process wait for a claim in this cache? The kernel lists it below the lock. */
static bool
somebody_waits(const char *cache)
{
    char *path = xasprintf("%s/claims", cache), *inode;
    FILE *locks = fopen("/proc/locks", "re");
    char line[256];
    struct stat st;
    bool found = false;

    assert_non_null(locks);
    assert_int_equal(stat(path, &st), 0);
    inode = xasprintf(":%llu ", (unsigned long long)st.st_ino);
    while (!found && fgets(line, sizeof line, locks) != NULL)
        found = strstr(line, " -> ") != NULL && strstr(line, inode) != NULL;
    fclose(locks);
    free(inode);
    free(path);
    return found;
}

/* Plays the process that others wait for: it has the claim, tells `say`, and ends as soon
 * as somebody waits. Without a refusal it ends before the compiler does. */
static void
play_maker(const char *cache, const char *key, const char *refusal, int say)
{
    const struct timespec look = {.tv_nsec = 1000000};
    char *path = xasprintf("%s/played", cache);
    char refusal_key[CACHE_KEY_LEN];
    struct report r = {0};
    bool waited;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || cache_claim(cache, key, &waited) < 0 ||
        write(say, "1", 1) != 1)
        _exit(1);
    while (!somebody_waits(cache))
        (void)nanosleep(&look, NULL);
    cache_part_key("refusal", key, refusal_key);
    cache_forget(cache, refusal_key);
    if (refusal != NULL && (file_write(path, refusal, strlen(refusal), &r) != 0 ||
                            cache_put(cache, refusal_key, path, &r) != 0))
        _exit(1);
    _exit(0);
}

/* Compiles the target while another process has its claim. The caller frees the message,
 * which is NULL if there is a program. */
static char *
message_after_another(const struct target *t, const char *cache, const char *folder,
                      const char *refusal)
{
    char *build = xasprintf("%s/build", folder), *to = xasprintf("%s/program", folder);
    struct compiled out = {0};
    char key[CACHE_KEY_LEN];
    struct report r = {0};
    int said[2], status;
    pid_t pid;
    char c;

    assert_int_equal(cache_key(t, key, &r), 0);
    assert_int_equal(pipe(said), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        play_maker(cache, key, refusal, said[1]);
    assert_int_equal(read(said[0], &c, 1), 1);
    if (compile_target(t, cache, build, to, &out, &r) != 0)
        fail_msg("%s", r.text);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(said[0]);
    close(said[1]);
    free(build);
    free(to);
    return out.message;
}

/* The refusal that the cache has of this target; the caller frees it. */
static char *
kept_refusal(const struct target *t, const char *cache, const char *folder)
{
    char *path = xasprintf("%s/kept", folder);
    char key[CACHE_KEY_LEN], refusal_key[CACHE_KEY_LEN];
    struct buf text = {0};
    struct report r = {0};

    assert_int_equal(cache_key(t, key, &r), 0);
    cache_part_key("refusal", key, refusal_key);
    assert_true(cache_get(cache, refusal_key, path));
    assert_int_equal(file_read(path, 1000, &text, &r), 0);
    free(path);
    return buf_take(&text);
}

/* What one process is refused, all are refused that wait for it. The compiler is asked
 * again by one that comes later, and by one whose maker did not come to an end. */
static void
who_waits_is_told_of_a_refusal(void **state)
{
    static const char source[] = "void solve(float *A) { undeclared = 1; }\n";
    static const char played[] = "it is played";
    char *folder = compile_job_begin("refused", compile_good, strlen(compile_good));
    char *cache = xasprintf("%s/refusals", compile_scratch);
    char *build = xasprintf("%s/build", folder), *to = xasprintf("%s/program", folder);
    const struct function solve = {.signature = "void solve(float* A)"};
    struct buf text = {0};
    const struct target t = {.config = &compile_config,
                             .function = &solve,
                             .kind = PROGRAM_C,
                             .arch = "compute_80",
                             .file_name = "reference.c",
                             .source = &text,
                             .common = true};
    struct compiled out = {0};
    struct report r = {0};
    char *message;

    (void)state;
    buf_add(&text, source, sizeof source - 1);
    message = message_after_another(&t, cache, folder, played);
    assert_string_equal(message, played);
    free(message);
    message = kept_refusal(&t, cache, folder);
    assert_string_equal(message, played);
    free(message);
    if (compile_target(&t, cache, build, to, &out, &r) != 0)
        fail_msg("%s", r.text);
    assert_non_null(strstr(out.message, "undeclared"));
    message = kept_refusal(&t, cache, folder); /* in the place of the other */
    assert_string_equal(message, out.message);
    free(message);
    free(out.message);
    message = message_after_another(&t, cache, folder, NULL);
    assert_non_null(strstr(message, "undeclared"));
    free(message);
    assert_false(exists(folder, "program.refusal"));
    buf_free(&text);
    free(build);
    free(to);
    free(cache);
    compile_job_end(folder);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_signatures),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(one_process_makes_what_several_want),
        cmocka_unit_test(who_waits_is_told_of_a_refusal),
        cmocka_unit_test(test_key_covers_inputs),
        cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_no_nvcc),
        cmocka_unit_test(test_own_nvcc_is_not_asked),
        cmocka_unit_test(test_wrapped_nvcc),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_broken_reference),
    };

    return cmocka_run_group_tests(tests, compile_set_up, compile_tear_down);
}
