// links: compiler compile sandbox common
/* Listings: PTX and the disassembler's text by source line, and what ptxas says. No tool
 * runs here: the texts are what the tools of CUDA 13.0 have printed, shortened. */
#include "compiler/listing.h"
#include "compiler/listing_code.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] = "// the first line\n"
                             "__device__ float twice(float x)\n"
                             "{\n"
                             "    return 2 * x;\n"
                             "}\n"
                             "__global__ void add(float *C)\n"
                             "{\n"
                             "    C[0] = twice(C[1]);\n"
                             "}\n";

static const char ptx[] =
    ".version 9.0\n.target sm_80\n.address_size 64\n\n"
    "\t// .globl\t_Z3addPf\n"
    ".extern .func (.param .b32 r) vprintf(\n\t.param .b64 f\n)\n;\n"
    ".visible .entry _Z3addPf(\n\t.param .u64 _Z3addPf_param_0\n)\n{\n"
    "\t.reg .b64 \t%rd<2>;\n"
    "\t.shared .align 4 .b8 s[64];\n"
    "\t.loc\t1 6 0\n\n\n"
    "\tld.param.u64 \t%rd1, [_Z3addPf_param_0];\n"
    "\t.loc\t1 8 5\n"
    "\tld.global.v2.f32 \t{%f1, %f2}, [%rd1];\n"
    "\t.loc\t1 4 5, function_name $L__info_string0, inlined_at 1 8 5\n"
    "\tmul.f32 \t%f3, %f2, 0f40000000;\n"
    "\t.loc\t2 422 9, function_name $L__info_string1, inlined_at 1 4 5\n"
    "\t// begin inline asm\n"
    "\t{ shfl.sync.idx.b32 \t%r1, %r2, 0, 31, -1; }\n"
    "\t.loc\t3 7 1\n"
    "\tst.global.f32 \t[%rd1], %f3;\n"
    "$L__BB0_2:\n"
    "\tret;\n\n}\n"
    "\t.file\t1 \"/build/add.cu\"\n"
    "\t.file\t2 \"/usr/local/cuda/include/sm_30_intrinsics.hpp\"\n"
    "\t.file\t3 \"/build/.cuda/other.h\"\n";

static const char said[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z3addPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z3addPf\n"
    "    24 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 64 registers, used 1 barriers, 1024 bytes smem\n";

static const char sass[] =
    "\t.target\tsm_90\n\n"
    "//--------------------- .text._Z3addPf --------------------------\n"
    "\t.section\t.text._Z3addPf,\"ax\",@progbits\n"
    "\t.align\t128\n"
    "        .type           _Z3addPf,@function\n"
    "_Z3addPf:\n.text._Z3addPf:\n"
    "\t//## File \"/build/add.cu\", line 6\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    "\t//## File \"/usr/include/x.h\", line 5 inlined at \"/build/add.cu\", line 8\n"
    "\t//## File \"/build/add.cu\", line 8\n"
    "        /*0010*/              @!P0 BRA `(.L_x_1) ;\n"
    ".L_x_1:\n"
    "        /*0020*/                   EXIT ;\n";

static cJSON *
read_code(enum listing_form form, const char *code, bool *left_out)
{
    cJSON *functions = cJSON_CreateArray();

    *left_out = listing_code_add(functions, form, code, "add.cu", (size_t)1 << 20);
    return functions;
}

static void
check_text(cJSON *json, const char *wanted)
{
    char *text = cJSON_PrintUnformatted(json);

    assert_string_equal(text, wanted);
    free(text);
    cJSON_Delete(json);
}

static void
test_ptx_by_line(void **state)
{
    bool left_out;
    cJSON *functions = read_code(LISTING_PTX, ptx, &left_out);

    (void)state;
    assert_false(left_out);
    check_text(
        functions,
        "[{\"symbol\":\"_Z3addPf\",\"kernel\":true,\"code\":["
        "{\"text\":[\".shared .align 4 .b8 s[64];\"]},"
        "{\"line\":6,\"text\":[\"ld.param.u64 %rd1, [_Z3addPf_param_0];\"]},"
        "{\"line\":8,\"text\":[\"ld.global.v2.f32 {%f1, %f2}, [%rd1];\"]},"
        "{\"line\":4,\"text\":[\"mul.f32 %f3, %f2, 0f40000000;\","
        "\"{ shfl.sync.idx.b32 %r1, %r2, 0, 31, -1; }\"]},"
        "{\"file\":\"other.h\",\"line\":7,\"text\":[\"st.global.f32 [%rd1], %f3;\","
        "\"$L__BB0_2:\",\"ret;\"]}]}]");
}

static void
test_sass_by_line(void **state)
{
    bool left_out;
    cJSON *functions = read_code(LISTING_SASS, sass, &left_out);

    (void)state;
    assert_false(left_out);
    check_text(functions,
               "[{\"symbol\":\"_Z3addPf\",\"kernel\":true,\"code\":["
               "{\"line\":6,\"text\":[\"LDC R1, c[0x0][0x28]\"]},"
               "{\"line\":8,\"text\":[\"@!P0 BRA `(.L_x_1)\",\".L_x_1:\",\"EXIT\"]}]}]");
}

static void
test_whole(void **state)
{
    struct listing l = {0};
    cJSON *o, *f, *share;

    (void)state;
    buf_puts(&l.said, said);
    buf_puts(&l.code, ptx);
    o = listing_json(&l, &(struct listing_wanted){LISTING_PTX, 1 << 20}, source, "add.cu",
                     "sm_90");
    f = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "functions"), 0);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(f, "name")), "add");
    assert_true(cJSON_GetObjectItem(f, "registers")->valuedouble == 64);
    assert_true(cJSON_GetObjectItem(f, "stack_bytes")->valuedouble == 24);
    assert_true(cJSON_GetObjectItem(f, "spill_store_bytes")->valuedouble == 16);
    assert_true(cJSON_GetObjectItem(f, "spill_load_bytes")->valuedouble == 8);
    assert_true(cJSON_GetObjectItem(f, "shared_bytes")->valuedouble == 1024);
    /* 64 registers are half of an SM's for 2048 threads; 32 blocks are the most. */
    share = cJSON_GetObjectItem(f, "occupancy");
    assert_int_equal(cJSON_GetArraySize(share), 6);
    f = cJSON_GetArrayItem(share, 3);
    assert_true(cJSON_GetObjectItem(f, "threads")->valuedouble == 256);
    assert_true(cJSON_GetObjectItem(f, "share")->valuedouble == 0.5);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(f, "limit")),
                        "registers");
    f = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "functions"), 0);
    f = cJSON_GetArrayItem(cJSON_GetObjectItem(f, "code"), 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(f, "source")),
                        "C[0] = twice(C[1]);");
    cJSON_Delete(o);
    listing_free(&l);
}

static void
test_bounded(void **state)
{
    struct buf text = {0};
    bool left_out;
    cJSON *functions;

    (void)state;
    buf_puts(&text, ".visible .entry k(\n)\n{\n");
    for (int i = 0; i < 140000; i++)
        buf_puts(&text, "\tret;;;;;\n");
    functions = read_code(LISTING_PTX, buf_str(&text), &left_out);
    assert_true(left_out);
    cJSON_Delete(functions);
    buf_free(&text);
}

/* What strangers' code may make of the text ends no process. */
static void
test_damaged(void **state)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "{",
        "}}}}",
        ".entry",
        ".entry k",
        ".visible .entry k(\n)\n{",
        ".func (",
        ".func (.param .b32 r\n",
        ".entry k()\n{\n\t.loc\n\t.loc 1\n\t.loc 1 2 3, inlined_at\n}\n",
        ".entry k()\n{\n\t.loc 1 1 1, inlined_at 1 1 1\n\tret;\n}\n",
        "\n\t.file 1\n\t.file 1 \"\n\t.file 99999 \"x\"\n\t.file -1 \"x\"\n",
        "\t.section .text.",
        "\t//## File \"\n\t//## File \"x\", line\n/*0*/ X",
        "\t.section .text.k,\n/*0",
        "\t.section .text.k,\n/*00 never closed\n:\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool left_out;

        cJSON_Delete(read_code(LISTING_PTX, texts[i], &left_out));
        cJSON_Delete(read_code(LISTING_SASS, texts[i], &left_out));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ptx_by_line), cmocka_unit_test(test_sass_by_line),
        cmocka_unit_test(test_whole),       cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
