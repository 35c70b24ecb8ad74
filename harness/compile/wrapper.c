/*
 * The text that is compiled instead of the user's file. It includes the user's file,
 * compares the type of solve with the spec's signature, and defines warpjudge_entry,
 * which the runner calls.
 *
 * The wrapper calls solve from the same translation unit. So the linkage of solve does
 * not matter. Where several functions have that name, overload resolution finds the one
 * that takes the spec's parameters. A solve with C linkage in a namespace is called by
 * its symbol, without a look at its type.
 *
 * The traits and templates stand before the user's file, out of reach of its macros and
 * open braces. After it stand only names with our prefix and a few keywords. All this
 * serves good messages and is no defence: the arbiter believes nothing that the program
 * says.
 *
 * messages.c must recognise a failed check in the compiler's words. It knows the
 * sentences that each line below can cause.
 */
#include "compile/wrapper.h"

#include "compile/build.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A difference passes if it changes nothing at the call. Pointees may differ in const,
 * in volatile and, for integers, in signedness. An integer passed by value may have any
 * type that holds all values that the spec allows, because all travel as 64 bits. */
static const char traits[] =
    "#include <type_traits>\n"
    "template <class T> struct warpjudge_buffer {};\n"
    "template <class T> struct warpjudge_real {};\n"
    "template <unsigned Bytes> struct warpjudge_integer {};\n"
    "template <class... T> struct warpjudge_list {};\n"
    "template <class A, class B,\n"
    "          bool Integers = std::is_integral<A>::value && "
    "std::is_integral<B>::value>\n"
    "struct warpjudge_same : std::is_same<A, B> {};\n"
    "template <class A, class B> struct warpjudge_same<A, B, true>\n"
    "    : std::integral_constant<bool, sizeof(A) == sizeof(B)> {};\n"
    "template <class T, unsigned Bytes, bool Integer = std::is_integral<T>::value>\n"
    "struct warpjudge_holds : std::false_type {};\n"
    "template <class T, unsigned Bytes> struct warpjudge_holds<T, Bytes, true>\n"
    "    : std::integral_constant<bool, (sizeof(T) >= Bytes) &&\n"
    "                                   !std::is_same<T, bool>::value> {};\n"
    "template <class Want, class Got> struct warpjudge_accepts : std::false_type {};\n"
    "template <class T, class U> struct warpjudge_accepts<warpjudge_buffer<T>, U *>\n"
    "    : warpjudge_same<T, typename std::remove_cv<U>::type> {};\n"
    "template <class T> struct warpjudge_accepts<warpjudge_real<T>, T>\n"
    "    : std::true_type {};\n"
    "template <unsigned Bytes, class T>\n"
    "struct warpjudge_accepts<warpjudge_integer<Bytes>, T> : warpjudge_holds<T, Bytes> "
    "{};\n"
    /* The number of the first parameter that differs, or one of these. */
    "enum : int { warpjudge_equal = -1, warpjudge_count = -2, warpjudge_result = -3,\n"
    "             warpjudge_no_function = -4, warpjudge_overloads = -5 };\n"
    "template <int At, class Want, class Got> struct warpjudge_first\n"
    "    : std::integral_constant<int, warpjudge_count> {};\n"
    "template <int At>\n"
    "struct warpjudge_first<At, warpjudge_list<>, warpjudge_list<>>\n"
    "    : std::integral_constant<int, warpjudge_equal> {};\n"
    "template <int At, class W, class... Ws, class G, class... Gs>\n"
    "struct warpjudge_first<At, warpjudge_list<W, Ws...>, warpjudge_list<G, Gs...>>\n"
    "    : std::conditional<\n"
    "          sizeof...(Ws) != sizeof...(Gs),\n"
    "          std::integral_constant<int, warpjudge_count>,\n"
    "          typename std::conditional<\n"
    "              warpjudge_accepts<W, typename std::remove_cv<G>::type>::value,\n"
    "              warpjudge_first<At + 1, warpjudge_list<Ws...>, "
    "warpjudge_list<Gs...>>,\n"
    "              std::integral_constant<int, At>>::type>::type {};\n"
    "template <class Want, class F> struct warpjudge_compare\n"
    "    : std::integral_constant<int, warpjudge_no_function> {};\n"
    "template <class Want, class R, class... A> struct warpjudge_compare<Want, R(A...)>\n"
    "    : std::conditional<std::is_void<R>::value,\n"
    "                       warpjudge_first<0, Want, warpjudge_list<A...>>,\n"
    "                       std::integral_constant<int, warpjudge_result>>::type {};\n"
    "template <class Want, class R, class... A>\n"
    "struct warpjudge_compare<Want, R(A...) noexcept> : warpjudge_compare<Want, R(A...)> "
    "{};\n"
    "template <class Want, class R, class... A>\n"
    "struct warpjudge_compare<Want, R(A..., ...)>\n"
    "    : std::integral_constant<int, warpjudge_count> {};\n"
    "template <class F, int Difference> struct warpjudge_signature {\n"
    "    static_assert(Difference == warpjudge_equal, \"" WRAPPER_MARK "signature\");\n"
    "};\n"
    "template <class Want, class F>\n"
    "constexpr int warpjudge_difference = warpjudge_compare<Want, F>::value;\n"
    /* An argument of the call. It converts to each type that the spec accepts for its
     * parameter, and to no other. */
    "template <class Want> struct warpjudge_argument {\n"
    "    const void *at;\n"
    "    template <class T, typename std::enable_if<\n"
    "        warpjudge_accepts<Want, T>::value, int>::type = 0> operator T() const\n"
    "    {\n"
    "        if constexpr (std::is_pointer<T>::value)\n"
    "            return (T)*(void *const *)at;\n"
    "        else if constexpr (std::is_integral<T>::value)\n"
    "            return (T)*(const long long *)at;\n"
    "        else\n"
    "            return *(const T *)at;\n"
    "    }\n"
    "};\n"
    /* What the name solve is: one function or variable of type F, or many. Functions that
     * the user's file leaves to be found by their symbol have the type of nowhere. */
    "template <class F> struct warpjudge_is {};\n"
    "struct warpjudge_one {\n"
    "    template <class F> warpjudge_is<F> operator()(F &) const;\n"
    "};\n"
    "struct warpjudge_many {};\n"
    "struct warpjudge_nowhere {};\n"
    "template <class Want, class Found, bool Callable> struct warpjudge_check;\n"
    "template <class Want, class F, bool Callable>\n"
    "struct warpjudge_check<Want, warpjudge_is<F>, Callable>\n"
    "    : warpjudge_signature<F, warpjudge_difference<Want, F>> {};\n"
    "template <class Want, bool Callable>\n"
    "struct warpjudge_check<Want, warpjudge_many, Callable>\n"
    "    : warpjudge_signature<warpjudge_many,\n"
    "                          Callable ? warpjudge_equal : warpjudge_overloads> {};\n"
    "template <class Want, bool Callable>\n"
    "struct warpjudge_check<Want, warpjudge_is<void(warpjudge_nowhere)>, Callable> {};\n";

/* What stands behind the user's file, up to warpjudge_entry. The qualified name ::solve
 * finds what is declared globally. Only where nothing is, the directive makes it find
 * our declaration. */
static const char lookup[] =
    "#ifdef solve\n#error " WRAPPER_MARK "macro\n#endif\n"
    "namespace warpjudge_elsewhere { void solve(warpjudge_nowhere); }\n"
    "using namespace warpjudge_elsewhere;\n"
    "template <class warpjudge_p> auto warpjudge_look(warpjudge_p warpjudge_it, int)\n"
    "    -> decltype(warpjudge_it(::solve));\n"
    "warpjudge_many warpjudge_look(warpjudge_one, long);\n"
    "typedef decltype(warpjudge_look(warpjudge_one(), 0)) warpjudge_found;\n"
    "template <class... warpjudge_p>\n"
    "constexpr auto warpjudge_callable(int, warpjudge_p... warpjudge_it)\n"
    "    -> decltype(::solve(warpjudge_it...), bool()) { return true; }\n"
    "template <class... warpjudge_p>\n"
    "constexpr bool warpjudge_callable(long, warpjudge_p...) { return false; }\n"
    "template <class warpjudge_f, class... warpjudge_p>\n"
    "void warpjudge_call(warpjudge_f, warpjudge_p... warpjudge_it)\n"
    "{\n    ::solve(warpjudge_it...);\n}\n"
    /* The linker's message names this function, if no such symbol is there. */
    "template <class... warpjudge_p> __attribute__((noinline))\n"
    "void warpjudge_by_symbol(warpjudge_p... warpjudge_it)\n"
    "{\n    warpjudge_symbol(warpjudge_it...);\n}\n"
    "template <class... warpjudge_p>\n"
    "void warpjudge_call(warpjudge_is<void(warpjudge_nowhere)>,\n"
    "                    warpjudge_p... warpjudge_it)\n"
    "{\n    warpjudge_by_symbol(warpjudge_it...);\n}\n";

/* Bytes of the smallest signed integer that holds the spec's bounds. Without bounds it
 * is the size of the type itself. */
static unsigned
bytes_needed(const struct function_param *q)
{
    unsigned size = (unsigned)dtype_size(q->type);

    for (unsigned bytes = 1; bytes < size; bytes *= 2) {
        double top = (double)((uint64_t)1 << (8 * bytes - 1));

        if (q->min >= -top && q->max <= top - 1)
            return bytes;
    }
    return size;
}

/* The spec's parameters as types: one for each argument, and the list of what they want.
 */
static void
add_wanted(struct buf *out, const struct function *f)
{
    struct buf list = {0};

    for (int i = 0; i < f->param_count; i++) {
        const struct function_param *q = &f->param[i];
        const char *type = dtype_ctype(q->type);
        struct buf want = {0};

        if (q->dir != FUNCTION_SCALAR)
            buf_printf(&want, "warpjudge_buffer<%s>", type);
        else if (dtype_class(q->type) == CLASS_FLOAT)
            buf_printf(&want, "warpjudge_real<%s>", type);
        else
            buf_printf(&want, "warpjudge_integer<%u>", bytes_needed(q));
        buf_printf(out, "typedef warpjudge_argument<%s> warpjudge_argument_%d;\n",
                   buf_str(&want), i);
        buf_printf(&list, "%s%s", i == 0 ? "" : ", ", buf_str(&want));
        buf_free(&want);
    }
    buf_printf(out, "typedef warpjudge_list<%s> warpjudge_wanted;\n", buf_str(&list));
    buf_free(&list);
}

/* Declares the symbol solve with types that travel as those do that the spec accepts. */
static void
add_symbol(struct buf *out, const struct function *f)
{
    buf_puts(out, "extern \"C\" void warpjudge_symbol(");
    for (int i = 0; i < f->param_count; i++) {
        const struct function_param *q = &f->param[i];

        buf_puts(out, i == 0 ? "" : ", ");
        if (q->dir != FUNCTION_SCALAR)
            buf_printf(out, "%s *", dtype_ctype(q->type));
        else if (dtype_class(q->type) == CLASS_FLOAT)
            buf_puts(out, dtype_ctype(q->type));
        else
            buf_puts(out, "long long");
    }
    buf_puts(out, ") __asm__(\"solve\");\n");
}

static bool
uses_type(const struct function *f, enum dtype type)
{
    for (int i = 0; i < f->param_count; i++)
        if (f->param[i].type == type)
            return true;
    return false;
}

/* The wrapper for CUDA C++. The caller frees it. */
static char *
cuda_wrapper(const struct function *f, const char *user_file_name)
{
    struct buf out = {0};

    buf_puts(&out, traits);
    buf_puts(&out, "#include <cstdint>\n");
    if (uses_type(f, DTYPE_F16))
        buf_puts(&out, "#include <cuda_fp16.h>\n");
    if (uses_type(f, DTYPE_BF16))
        buf_puts(&out, "#include <cuda_bf16.h>\n");
    add_wanted(&out, f);
    add_symbol(&out, f);
    buf_printf(&out, "#include \"%s\"\n", user_file_name);
    buf_puts(&out, lookup);
    buf_puts(&out, "template struct warpjudge_check<warpjudge_wanted, warpjudge_found,\n"
                   "    warpjudge_callable(0");
    for (int i = 0; i < f->param_count; i++)
        buf_printf(&out, ", warpjudge_argument_%d()", i);
    buf_puts(&out, ")>;\n"
                   "extern \"C\" void warpjudge_entry(void *const *warpjudge_arguments)\n"
                   "{\n    warpjudge_call(warpjudge_found()");
    for (int i = 0; i < f->param_count; i++)
        buf_printf(&out, ",\n        warpjudge_argument_%d{warpjudge_arguments[%d]}", i,
                   i);
    buf_puts(&out, ");\n}\n");
    return buf_take(&out);
}

/* The text of solve.h. LeetGPU's declares solve(). That would make a solve() ambiguous
 * whose parameters differ in a const. Submissions of both kinds exist, and the linkage
 * does not matter here. So our header only shows the declaration. */
char *
compile_solve_header(const struct function *f)
{
    return xasprintf("#pragma once\n"
                     "#include <cuda_runtime.h>\n"
                     "// extern \"C\" %s;\n",
                     f->signature);
}

/* Makes float of each double in what follows. The C library's headers come first, so that
 * their functions keep their types. The header of complex numbers defines a macro I, so
 * only a source that includes it gets it. */
static void
add_floats(struct buf *out, const struct buf *source)
{
    static const char *const headers[] = {"float.h",  "inttypes.h", "limits.h",
                                          "math.h",   "stdbool.h",  "stdio.h",
                                          "stdlib.h", "string.h"};

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        buf_printf(out, "#include <%s>\n", headers[i]);
    if (strstr(buf_str(source), "<complex.h>") != NULL)
        buf_puts(out, "#include <complex.h>\n");
    buf_puts(out, "#define double float\n");
}

/* C has neither overloading nor a way to compare types. So the prototype stands in
 * front of the author's file, and the compiler itself refuses a definition that
 * differs. */
char *
compile_c_wrapper(const struct target *t)
{
    const struct function *f = t->function;
    struct buf out = {0};

    buf_puts(&out, "#include <stdint.h>\n#include <stddef.h>\n"
                   "typedef _Float16 __half;\n"
                   "typedef struct { uint16_t bits; } __nv_bfloat16;\n");
    buf_printf(&out, "%s;\n", f->signature);
    if (t->arithmetic == ARITHMETIC_FLOAT)
        add_floats(&out, t->source);
    buf_printf(&out, "#include \"%s\"\n#undef double\n", t->file_name);
    buf_puts(&out, "void warpjudge_entry(void *const *arguments)\n{\n    solve(");
    for (int i = 0; i < f->param_count; i++) {
        const struct function_param *q = &f->param[i];

        buf_printf(&out, "%s\n        *(%s const *)arguments[%d]", i == 0 ? "" : ",",
                   q->dir != FUNCTION_SCALAR ? "void *" : dtype_ctype(q->type), i);
    }
    buf_puts(&out, ");\n}\n");
    return buf_take(&out);
}

char *
compile_safe_name(const char *name)
{
    bool ours = strcmp(name, WRAPPER_NAME) == 0 || strcmp(name, C_WRAPPER_NAME) == 0 ||
                strcmp(name, "solve.h") == 0 || strcmp(name, OBJECT_NAME) == 0 ||
                strcmp(name, PROGRAM_NAME) == 0;
    char *safe =
        xasprintf("%s%.200s", ours || name[0] == '.' || name[0] == '-' ? "_" : "",
                  name[0] != '\0' ? name : "submission.cu");

    for (char *c = safe; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7f' || strchr("\"\\/:", *c) != NULL)
            *c = '_';
    return safe;
}

char *
target_wrapper(const struct target *t)
{
    if (t->role == ROLE_INPUTS)
        return compile_inputs_wrapper(t->function, t->file_name);
    if (t->role == ROLE_CHECKER)
        return compile_checker_wrapper(t->function, t->file_name);
    return t->kind == PROGRAM_C ? compile_c_wrapper(t)
                                : cuda_wrapper(t->function, t->file_name);
}
