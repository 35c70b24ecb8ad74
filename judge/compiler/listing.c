#include "compiler/listing.h"
#include "compiler/listing_code.h"

#include "base/buf.h"
#include "base/report.h"
#include "compile/assembly.h"
#include "emulator/emulator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE_LINE_MAX 200 /* bytes of a line that are quoted */

static const char *const form_names[] = {[LISTING_PTX] = "ptx", [LISTING_SASS] = "sass"};

const char *
listing_form_name(enum listing_form form)
{
    return form_names[form];
}

int
listing_form_parse(const char *word, enum listing_form *out)
{
    for (size_t i = 0; i < sizeof form_names / sizeof *form_names; i++)
        if (strcmp(word, form_names[i]) == 0) {
            *out = (enum listing_form)i;
            return 0;
        }
    return -1;
}

int
listing_bytes_parse(const char *word, size_t *out)
{
    unsigned long long bytes;
    char *end;

    errno = 0;
    bytes = strtoull(word, &end, 10);
    if (word[0] < '1' || word[0] > '9' || *end != '\0' || errno != 0)
        return -1;
    *out = bytes;
    return 0;
}

/* --- what ptxas says ---------------------------------------------------- */

/* The device whose figures hold for this architecture; NULL: they are not known. */
static const struct device_model *
model_of(const char *arch)
{
    static const struct {
        const char *arch, *key;
    } known[] = {{"sm_80", "a100"}, {"sm_89", "rtx4090"}, {"sm_90", "h200"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(arch, known[i].arch, strlen(known[i].arch)) == 0)
            return device_by_key(known[i].key);
    return NULL;
}

/* Adds how many warps an SM holds of blocks of each size. */
static void
add_occupancy(cJSON *function, const struct device_model *d,
              const struct assembly_kernel *k)
{
    static const char *const names[] = {
#define X(id, name) name,
        OCCUPANCY_LIMITS(X)
#undef X
    };
    cJSON *list = cJSON_AddArrayToObject(function, "occupancy");

    for (uint32_t threads = 32; threads <= 1024; threads *= 2) {
        uint32_t limit[OCCUPANCY_LIMIT_COUNT];
        const uint32_t blocks = model_occupancy(d, threads, (uint32_t)k->shared,
                                                (uint32_t)k->registers, limit);
        cJSON *o = cJSON_CreateObject();
        int least = 0;

        for (int i = 1; i < OCCUPANCY_LIMIT_COUNT; i++)
            least = limit[i] < limit[least] ? i : least;
        cJSON_AddNumberToObject(o, "threads", threads);
        cJSON_AddNumberToObject(o, "blocks", blocks);
        cJSON_AddNumberToObject(o, "share",
                                (double)blocks * threads / 32 / d->warps_per_sm);
        cJSON_AddStringToObject(o, "limit", names[least]);
        cJSON_AddItemToArray(list, o);
    }
}

struct said {
    cJSON *functions;
    const struct device_model *model;
};

static void
add_said(void *arg, const struct assembly_kernel *k)
{
    const struct said *s = arg;
    cJSON *f;

    cJSON_ArrayForEach(f, s->functions)
    {
        const char *symbol =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(f, "symbol"));

        if (strlen(symbol) != k->name_len || memcmp(symbol, k->name, k->name_len) != 0)
            continue;
        cJSON_AddNumberToObject(f, "registers", (double)k->registers);
        cJSON_AddNumberToObject(f, "stack_bytes", (double)k->stack);
        cJSON_AddNumberToObject(f, "spill_store_bytes", (double)k->spill_stores);
        cJSON_AddNumberToObject(f, "spill_load_bytes", (double)k->spill_loads);
        cJSON_AddNumberToObject(f, "shared_bytes", (double)k->shared);
        if (s->model != NULL)
            add_occupancy(f, s->model, k);
    }
}

/* --- the source --------------------------------------------------------- */

/* The beginnings of the lines of a source. */
struct source_lines {
    const char **line;
    long count;
};

static struct source_lines
source_lines_of(const char *source)
{
    struct source_lines s = {0};
    const char *end;

    for (const char *p = source; *p != '\0'; p = *end != '\0' ? end + 1 : end) {
        if ((s.count & (s.count - 1)) == 0)
            s.line = xrealloc(s.line,
                              (size_t)(s.count > 0 ? 2 * s.count : 1) * sizeof *s.line);
        s.line[s.count++] = p;
        end = strchrnul(p, '\n');
    }
    return s;
}

/* Adds the text of the line to a piece of the source. */
static void
add_source(cJSON *piece, const struct source_lines *s)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(piece, "line");
    const long line = number != NULL ? (long)number->valuedouble : 0;
    const char *text;
    size_t len;
    char *copy;

    if (line < 1 || line > s->count || cJSON_HasObjectItem(piece, "file"))
        return;
    text = s->line[line - 1];
    text += strspn(text, " \t");
    len = strcspn(text, "\r\n");
    if (len > SOURCE_LINE_MAX)
        for (len = SOURCE_LINE_MAX; len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80;)
            len--;
    copy = strndup(text, len);
    cJSON_AddStringToObject(piece, "source", copy != NULL ? copy : "");
    free(copy);
}

static void
complete_function(cJSON *f, const struct source_lines *s)
{
    const char *symbol =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(f, "symbol"));
    cJSON *piece;
    char name[256];

    demangle(symbol, name, sizeof name);
    cJSON_AddStringToObject(f, "name", name);
    cJSON_ArrayForEach(piece, cJSON_GetObjectItemCaseSensitive(f, "code"))
        add_source(piece, s);
}

cJSON *
listing_json(const struct listing *l, const struct listing_wanted *wanted,
             const char *source, const char *file, const char *arch)
{
    cJSON *o = cJSON_CreateObject(), *functions, *f;
    struct source_lines lines = source_lines_of(source);
    struct said said;

    cJSON_AddBoolToObject(o, "compiles", true);
    cJSON_AddStringToObject(o, "form", listing_form_name(wanted->form));
    cJSON_AddStringToObject(o, "arch", arch);
    functions = cJSON_AddArrayToObject(o, "functions");
    cJSON_AddBoolToObject(o, "truncated",
                          listing_code_add(functions, wanted->form, buf_str(&l->code),
                                           file, wanted->bytes));
    said = (struct said){functions, model_of(arch)};
    assembly_read_said(buf_str(&l->said), add_said, &said);
    cJSON_ArrayForEach(f, functions) complete_function(f, &lines);
    free(lines.line);
    return o;
}
