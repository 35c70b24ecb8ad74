/* Splits a command line into flags and arguments. */
#include "cli/args.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "problem/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    char letter;
    const char *value;
} flag_table[] = {
#define X(name, text, letter, value, ...) {text, letter, value},
    FLAGS(X)
#undef X
};

const char *
flag_name(enum flag flag)
{
    return flag_table[flag].name;
}

char
flag_letter(enum flag flag)
{
    return flag_table[flag].letter;
}

const char *
flag_value_name(enum flag flag)
{
    return flag_table[flag].value;
}

static int
fail_unknown(const char *word, const char *name, struct report *r)
{
    static const char *const names[] = {
#define X(name, text, letter, value, ...) text,
        FLAGS(X)
#undef X
    };
    const char *meant = nearest_name(name, names, FLAG_COUNT);

    if (meant != NULL && word[1] == '-')
        return report_fail(r, "there is no flag %s: did you mean --%s?", word, meant);
    return report_fail(r, "there is no flag %s: `warpjudge VERB --help` lists a verb's",
                       word);
}

/* Where the values of a flag go that may be given several times; NULL for another. */
static struct args_list *
args_several(struct args *args, enum flag flag)
{
    switch (flag) {
    case FLAG_TAG:
        return &args->tags;
    case FLAG_SIZE:
        return &args->sizes;
    case FLAG_VALUES:
        return &args->values;
    default:
        return NULL;
    }
}

static int
set_flag(struct args *args, enum flag flag, const char *value, struct report *r)
{
    struct args_list *several = args_several(args, flag);
    const char *old = args->flag[flag];

    if (utf8_prefix(value, strlen(value)) != strlen(value))
        return report_fail(r, "the value of --%s is not UTF-8", flag_name(flag));
    if (flag == FLAG_DEVICE)
        args->devices.value[args->devices.count++] = value;
    else if (several != NULL)
        several->value[several->count++] = value;
    else if (old != NULL && strcmp(old, value) != 0) {
        if (flag == FLAG_PROBLEM)
            return report_fail(r, "two problems are named, %s and %s: name one", old,
                               value);
        return report_fail(r, "--%s is given twice, with %s and with %s", flag_name(flag),
                           old, value);
    }
    args->flag[flag] = value;
    return 0;
}

/* The value in the next argument, which may be NULL. If that looks like a flag, the value
 * was most likely forgotten. NULL and a report where there is no value. */
static const char *
following_value(const char *word, const char *next, struct report *r)
{
    if (next != NULL && (next[0] != '-' || next[1] == '\0'))
        return next;
    if (next == NULL)
        report_fail(r, "%s needs a value", word);
    else
        report_fail(r, "%s needs a value, and %s looks like another flag", word, next);
    return NULL;
}

/* Reads a flag such as --flag. Returns how many arguments it took, or -1. */
static int
parse_long(char **argv, struct args *out, struct report *r)
{
    const char *word = argv[0], *equals = strchr(word, '='), *value = "";
    size_t len = equals != NULL ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    int used = 1;
    int flag;

    for (flag = 0; flag < FLAG_COUNT; flag++)
        if (strlen(flag_table[flag].name) == len &&
            memcmp(flag_table[flag].name, word + 2, len) == 0)
            break;
    if (flag == FLAG_COUNT) {
        char *name = xasprintf("%.*s", (int)len, word + 2);

        fail_unknown(word, name, r);
        free(name);
        return -1;
    }
    if (flag_table[flag].value == NULL) {
        if (equals != NULL)
            return report_fail(r, "--%s takes no value", flag_table[flag].name);
    } else {
        value = equals != NULL ? equals + 1 : following_value(word, argv[1], r);
        used = equals != NULL ? 1 : 2;
        if (value == NULL)
            return -1;
        if (value[0] == '\0')
            return report_fail(r, "--%s needs a value", flag_table[flag].name);
    }
    return set_flag(out, (enum flag)flag, value, r) == 0 ? used : -1;
}

static int
parse_short(char **argv, struct args *out, struct report *r)
{
    const char *word = argv[0], *value = "";
    int used = 1;
    int flag;

    for (flag = 0; flag < FLAG_COUNT; flag++)
        if (flag_table[flag].letter == word[1])
            break;
    if (flag == FLAG_COUNT)
        return fail_unknown(word, word + 1, r);
    if (flag_table[flag].value == NULL) {
        if (word[2] != '\0')
            return report_fail(r, "-%c takes no value: write %s as separate flags",
                               word[1], word);
    } else {
        value = word[2] == '\0'  ? following_value(word, argv[1], r)
                : word[2] == '=' ? word + 3
                                 : word + 2;
        used = word[2] == '\0' ? 2 : 1;
        if (value == NULL)
            return -1;
        if (value[0] == '\0')
            return report_fail(r, "-%c needs a value", word[1]);
    }
    return set_flag(out, (enum flag)flag, value, r) == 0 ? used : -1;
}

/* Is at most one device named? Only a worker takes several. */
static int
args_one_device(const struct args *args, struct report *r)
{
    for (int i = 1; i < args->devices.count; i++)
        if (strcmp(args->devices.value[i], args->devices.value[0]) != 0)
            return report_fail(r, "--device is given twice, with %s and with %s",
                               args->devices.value[0], args->devices.value[i]);
    return 0;
}

int
args_parse(int argc, char **argv, struct args *out, struct report *r)
{
    bool flags_over = false;

    *out = (struct args){.positional = xcalloc((size_t)argc + 1, sizeof(char *)),
                         .tags.value = xcalloc((size_t)argc + 1, sizeof(char *)),
                         .sizes.value = xcalloc((size_t)argc + 1, sizeof(char *)),
                         .values.value = xcalloc((size_t)argc + 1, sizeof(char *)),
                         .devices.value = xcalloc((size_t)argc + 1, sizeof(char *))};
    for (int i = 1; i < argc;) {
        const char *word = argv[i];
        int used = 1;

        if (flags_over || word[0] != '-' || word[1] == '\0')
            out->positional[out->count++] = word;
        else if (strcmp(word, "--") == 0)
            flags_over = true;
        else
            used = (word[1] == '-' ? parse_long : parse_short)(argv + i, out, r);
        if (used < 0)
            return -1;
        i += used;
        if (out->count == 2 && strcmp(out->positional[0], "emu") == 0)
            flags_over = true;
    }
    if (out->count > 0 && strcmp(out->positional[0], "worker") == 0)
        return 0;
    return args_one_device(out, r);
}

void
args_free(struct args *args)
{
    free(args->positional);
    free(args->tags.value);
    free(args->sizes.value);
    free(args->values.value);
    free(args->devices.value);
    *args = (struct args){0};
}

void
args_shift(struct args *args)
{
    args->count--;
    memmove(args->positional, args->positional + 1,
            sizeof *args->positional * (size_t)args->count);
}

int
args_number(const struct args *args, enum flag flag, long most, long *out,
            struct report *r)
{
    const char *text = args->flag[flag];
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < 1 || value > most)
        return report_fail(r, "--%s takes a whole number from 1 to %ld, not \"%s\"",
                           flag_name(flag), most, text);
    *out = value;
    return 0;
}

int
args_submission(const char *text, long *id, struct report *r)
{
    char *end;

    errno = 0;
    *id = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || *id < 1)
        return report_fail(
            r,
            "\"%s\" is not a submission's number: `warpjudge history` lists "
            "yours",
            text);
    return 0;
}
