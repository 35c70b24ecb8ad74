// links: daemon sandbox common
/* Forms as browsers send them, and pages that stay pages whatever stands in them. */
#include "daemon/web/form.h"
#include "daemon/web/html.h"
#include "daemon/web/markdown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MULTIPART "multipart/form-data; boundary=edge"
#define PLAIN "application/x-www-form-urlencoded"

static int
parse(const char *type, const char *body, struct form *f)
{
    struct report r = {0};
    const int rc = form_parse(type, body, strlen(body), f, &r);

    assert_int_equal(rc != 0, report_is_set(&r));
    return rc;
}

static void
urlencoded_fields(void **state)
{
    struct form f;

    (void)state;
    assert_int_equal(parse(PLAIN, "a=b+c&d=%2B%26%3d&e=&f&a=again", &f), 0);
    assert_int_equal(f.count, 5);
    assert_string_equal(form_value(&f, "a"), "b c");
    assert_string_equal(form_value(&f, "d"), "+&=");
    assert_string_equal(form_value(&f, "e"), "");
    assert_string_equal(form_value(&f, "nothing"), "");
    form_free(&f);
    assert_int_equal(parse(PLAIN "; charset=UTF-8", "", &f), 0);
    assert_int_equal(f.count, 0);
    form_free(&f);
    for (int i = 0; i < 4; i++) {
        static const char *const WRONG[] = {"a=%00", "a=%ff", "=b", "a=%c3%28"};

        assert_int_equal(parse(PLAIN, WRONG[i], &f), -1);
        form_free(&f);
    }
    assert_int_equal(parse("text/plain", "a=b", &f), -1);
    assert_int_equal(parse(NULL, "a=b", &f), -1);
}

static void
a_file_among_the_fields(void **state)
{
    struct form f;

    (void)state;
    assert_int_equal(
        parse(MULTIPART,
              "--edge\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\n"
              "line\r\n--edg\r\n\r\n--edge\r\ncontent-disposition: form-data; "
              "filename=\"x.cu\"; name=\"file\"\r\nContent-Type: text/plain\r\n\r\n\r\n"
              "--edge--\r\n",
              &f),
        0);
    assert_int_equal(f.count, 2);
    assert_string_equal(form_value(&f, "source"), "line\r\n--edg\r\n");
    assert_null(form_field(&f, "source")->filename);
    assert_string_equal(form_value(&f, "file"), "");
    assert_string_equal(form_field(&f, "file")->filename, "x.cu");
    form_free(&f);
}

static void
multipart_that_is_cut_off(void **state)
{
    static const char WHOLE[] =
        "--edge\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--edge--";
    struct form f;

    (void)state;
    for (size_t len = 0; len < sizeof WHOLE - 1; len++) {
        char *text = strndup(WHOLE, len);

        assert_int_equal(parse(MULTIPART, text, &f), -1);
        form_free(&f);
        free(text);
    }
    assert_int_equal(parse(MULTIPART, WHOLE, &f), 0);
    assert_string_equal(form_value(&f, "a"), "b");
    form_free(&f);
    assert_int_equal(parse("multipart/form-data", WHOLE, &f), -1);
}

static void
text_is_escaped(void **state)
{
    struct html h = {0};

    (void)state;
    html(&h, "<a title=\"%s\">%.*s %d %lld %.1f %zu%%</a>", "<\"'&>", 3, "a<b<c", -7, 8LL,
         1.25, (size_t)9);
    assert_string_equal(buf_str(&h.out),
                        "<a title=\"&lt;&quot;&#39;&amp;&gt;\">a&lt;b -7 8 1.2 9%</a>");
    buf_clear(&h.out);
    html(&h, "%.*s", 8, "before"); /* it ends before the eight characters do */
    assert_string_equal(buf_str(&h.out), "before");
    buf_clear(&h.out);
    /* A byte that is no UTF-8, an ESC, and a character that turns the direction. */
    html(&h, "%s", "x\xff\x1b\xe2\x80\xaey\r\nz");
    assert_string_equal(buf_str(&h.out), "x\xef\xbf\xbd\xef\xbf\xbd[U+202E]y\nz");
    buf_clear(&h.out);
    html_url(&h, "a/b?c=\"d\" \xc3\xa4");
    assert_string_equal(buf_str(&h.out), "a%2Fb%3Fc%3D%22d%22%20%C3%A4");
    buf_free(&h.out);
}

static void
statements_have_no_html(void **state)
{
    struct markup m = markdown_statement("# Title\n\n<script>x</script>\n\na <b>b</b> "
                                         "[l](javascript:x) ![i](http://x/i)\n\n"
                                         "    <c>\n\n## Example\n");

    (void)state;
    assert_null(strstr(m.html, "Title"));
    assert_null(strstr(m.html, "<script"));
    assert_null(strstr(m.html, "<b>"));
    assert_null(strstr(m.html, "javascript:"));
    assert_null(strstr(m.html, "<img"));
    assert_non_null(strstr(m.html, "<pre tabindex=\"0\"><code>&lt;c&gt;\n</code></pre>"));
    assert_non_null(strstr(m.html, "<h2>Example</h2>"));
    free(m.html);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(urlencoded_fields),
        cmocka_unit_test(a_file_among_the_fields),
        cmocka_unit_test(multipart_that_is_cut_off),
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(statements_have_no_html),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
