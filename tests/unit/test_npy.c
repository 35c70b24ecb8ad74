// links: cli gpu_process gpu_owner sandbox common
/* The .npy files of numpy: what is read, what is refused, and that what is written is
 * read again. */
#include "cli/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file of version 1.0 with this header and so many bytes of data. */
static void
make_file(struct buf *out, const char *header, size_t data)
{
    unsigned char prefix[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};

    buf_clear(out);
    prefix[8] = (unsigned char)strlen(header);
    buf_add(out, prefix, sizeof prefix);
    buf_puts(out, header);
    for (size_t i = 0; i < data; i++)
        buf_add(out, "x", 1);
}

static void
reads_what_numpy_writes(void **state)
{
    static const struct {
        const char *header, *type;
        size_t bytes;
        int rank;
    } CASES[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }   \n", "float32", 12,
         1},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }\n", "int64", 48, 2},
        {"{'shape':(2,3,),'descr':\"|b1\",'fortran_order':False}", "uint8", 6, 2},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (), }\n", "float16", 2, 0},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (0,), }\n", "uint8", 0, 1},
    };
    struct buf file = {0};

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct report r = {0};
        struct npy n;

        make_file(&file, CASES[i].header, CASES[i].bytes);
        if (npy_parse(buf_str(&file), file.len, &n, &r) != 0)
            fail_msg("%s: %s", CASES[i].header, r.text);
        assert_string_equal(n.type, CASES[i].type);
        assert_int_equal(n.rank, CASES[i].rank);
        assert_int_equal(n.bytes, CASES[i].bytes);
        assert_ptr_equal((const char *)n.data + n.bytes, file.data + file.len);
    }
    buf_free(&file);
}

static void
refuses_with_a_sentence(void **state)
{
    static const struct {
        const char *header, *words;
        size_t bytes;
    } CASES[] = {
        {"", "no dictionary", 0},
        {"{}", "lacks descr", 0},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "needs 12 bytes",
         11},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "needs 12 bytes",
         13},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", "big-endian", 12},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "type <c8", 24},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
         "no plain numbers", 12},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "type |O", 12},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3, 1), }", "Fortran", 12},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", "neither True", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3), }", "no tuple", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "no tuple", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", "no tuple", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }", "no tuple", 12},
        {"{'descr': '<f4', 'descr': '<f4', 'shape': (3,), }", "\"descr\" too much", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}",
         "\"x\" too much", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x", "follows", 12},
        {"{'descr': '<f4' 'fortran_order': False}", "no dictionary", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999999999, 99), }",
         "too many elements", 12},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,), }",
         "no tuple", 12},
    };
    static const struct {
        const char *bytes, *words;
        size_t len;
    } FILES[] = {
        {"", "no .npy file", 0},
        {"1 2 3\n", "no .npy file", 6},
        {"\x93NUMPY\x03\x00\x00\x00\x00\x00", "version 3.0", 12},
        {"\x93NUMPY\x01\x00\x01\x00", "within its header", 10},
        {"\x93NUMPY\x02\x00\x01\x00", "within its header", 10},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff", "within its header", 12},
    };
    struct buf file = {0};
    struct npy n;

    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct report r = {0};

        make_file(&file, CASES[i].header, CASES[i].bytes);
        assert_int_equal(npy_parse(buf_str(&file), file.len, &n, &r), -1);
        if (strstr(r.text, CASES[i].words) == NULL)
            fail_msg("%s: \"%s\"", CASES[i].header, r.text);
    }
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        struct report r = {0};

        assert_int_equal(npy_parse(FILES[i].bytes, FILES[i].len, &n, &r), -1);
        if (strstr(r.text, FILES[i].words) == NULL)
            fail_msg("%zu: \"%s\"", i, r.text);
    }
    buf_free(&file);
}

static void
reads_what_it_writes(void **state)
{
    static const float values[6] = {1, 2, 3, 4, 5, 6};
    const struct npy of[] = {
        {.type = "float32", .rank = 2, .dim = {2, 3}, .data = values, .bytes = 24},
        {.type = "bfloat16", .rank = 1, .dim = {12}, .data = values, .bytes = 24},
        {.type = "fp8_e4m3", .rank = 3, .dim = {1, 4, 6}, .data = values, .bytes = 24},
    };
    static const char *const TYPES[] = {"float32", "uint16", "uint8"};
    const struct npy unknown = {.type = "float128"};
    struct buf file = {0};
    struct report r = {0};
    struct npy n;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        buf_clear(&file);
        assert_int_equal(npy_add(&file, &of[i], &r), 0);
        assert_int_equal((file.len - 24) % 64, 0);
        assert_int_equal(npy_parse(buf_str(&file), file.len, &n, &r), 0);
        assert_string_equal(n.type, TYPES[i]);
        assert_int_equal(n.rank, of[i].rank);
        assert_memory_equal(n.dim, of[i].dim, (size_t)n.rank * sizeof *n.dim);
        assert_memory_equal(n.data, values, 24);
    }
    assert_int_equal(npy_add(&file, &unknown, &r), -1);
    buf_free(&file);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_numpy_writes),
        cmocka_unit_test(refuses_with_a_sentence),
        cmocka_unit_test(reads_what_it_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
