#include "cli/own_case.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/answer.h"
#include "cli/client.h"
#include "cli/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN_FILE_MAX ((size_t)1 << 20) /* OWN_CASE_DATA_MAX of problem/own_case.h */
#define OWN_HEADER_MAX 65536
#define OWN_SEED_MAX 9007199254740992LL /* 2^53 */

/* --- what is sent ----------------------------------------------------------- */

/* Splits NAME=VALUE. The name is a copy that the caller frees; NULL and a report where
 * it is not of that form. */
static char *
own_split(const char *flag, const char *text, const char *example, const char **value,
          struct report *r)
{
    const char *equals = strchr(text, '=');

    if (equals == NULL || equals == text || equals[1] == '\0') {
        report_fail(r, "--%s %s has no name and value: write it as in --%s %s", flag,
                    text, flag, example);
        return NULL;
    }
    *value = equals + 1;
    return xasprintf("%.*s", (int)(equals - text), text);
}

/* Adds a member, unless the object has one of this name. */
static int
own_add_member(cJSON *object, const char *flag, const char *name, cJSON *item,
               struct report *r)
{
    if (cJSON_GetObjectItemCaseSensitive(object, name) != NULL) {
        cJSON_Delete(item);
        return report_fail(r, "--%s names %s twice", flag, name);
    }
    cJSON_AddItemToObject(object, name, item);
    return 0;
}

static int
own_add_size(cJSON *sizes, const char *text, struct report *r)
{
    const char *value;
    char *name = own_split("size", text, "N=1000", &value, r);
    int rc;

    if (name == NULL)
        return -1;
    rc = own_add_member(sizes, "size", name, cJSON_CreateString(value), r);
    free(name);
    return rc;
}

/* The values of a .npy file as the object that is sent; NULL and a report. */
static cJSON *
own_read_array(const char *path, struct report *r)
{
    struct buf bytes = {0};
    struct npy array;
    cJSON *o = NULL, *shape;

    if (file_read(path, OWN_FILE_MAX + OWN_HEADER_MAX, &bytes, r) != 0) {
        buf_free(&bytes);
        return NULL;
    }
    if (npy_parse(buf_str(&bytes), bytes.len, &array, r) != 0) {
        report_prefix(r, "%s", path);
    } else if (array.bytes > OWN_FILE_MAX) {
        report_fail(r, "%s has %zu bytes of values, and a case may bring %zu at most",
                    path, array.bytes, OWN_FILE_MAX);
    } else {
        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "type", array.type);
        shape = cJSON_AddArrayToObject(o, "shape");
        for (int k = 0; k < array.rank; k++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)array.dim[k]));
        json_add_bytes(o, "data", array.data, array.bytes);
    }
    buf_free(&bytes);
    return o;
}

static bool
own_names_file(const char *value)
{
    const size_t len = strlen(value);

    return strchr(value, '/') != NULL ||
           (len > 4 && strcmp(value + len - 4, ".npy") == 0);
}

static int
own_add_values(cJSON *values, const char *text, struct report *r)
{
    const char *value;
    char *name = own_split("values", text, "A=ones", &value, r);
    cJSON *item;
    int rc = -1;

    if (name == NULL)
        return -1;
    item = own_names_file(value) ? own_read_array(value, r) : cJSON_CreateString(value);
    if (item != NULL)
        rc = own_add_member(values, "values", name, item, r);
    free(name);
    return rc;
}

static int
own_add_seed(cJSON *object, const char *text, struct report *r)
{
    char *end;
    long long seed;

    errno = 0;
    seed = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || seed < 0 || seed > OWN_SEED_MAX)
        return report_fail(r, "--seed takes a whole number from 0 to 2^53, not \"%s\"",
                           text);
    cJSON_AddNumberToObject(object, "seed", (double)seed);
    return 0;
}

int
own_case_of_flags(const struct cli *cli, cJSON **out, struct report *r)
{
    const struct args *args = &cli->args;
    cJSON *object, *sizes, *values;
    int rc = 0;

    *out = NULL;
    if (args->sizes.count == 0 && args->values.count == 0 &&
        args->flag[FLAG_SEED] == NULL && args->flag[FLAG_DUMP] == NULL)
        return 0;
    object = cJSON_CreateObject();
    sizes = cJSON_AddObjectToObject(object, "sizes");
    values = cJSON_AddObjectToObject(object, "values");
    for (int i = 0; i < args->sizes.count && rc == 0; i++)
        rc = own_add_size(sizes, args->sizes.value[i], r);
    for (int i = 0; i < args->values.count && rc == 0; i++)
        rc = own_add_values(values, args->values.value[i], r);
    if (rc == 0 && args->flag[FLAG_SEED] != NULL)
        rc = own_add_seed(object, args->flag[FLAG_SEED], r);
    if (rc == 0 && args->flag[FLAG_DUMP] != NULL)
        cJSON_AddBoolToObject(object, "arrays", true);
    if (rc == 0)
        *out = object;
    else
        cJSON_Delete(object);
    return rc;
}

/* --- what comes back -------------------------------------------------------- */

/* Is the name one that a parameter can have, so that it can be part of a file's name? */
static bool
own_name_is_plain(const char *name)
{
    return name[0] != '\0' &&
           strspn(name,
                  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               strlen(name);
}

static int
own_write_array(const char *folder, const cJSON *item, char **path, struct report *r)
{
    const char *name = answer_string(item, "name"), *part = answer_string(item, "part");
    const cJSON *shape = answer_array(item, "shape"), *dim;
    struct npy array = {.type = answer_string(item, "type")};
    struct buf data = {0}, file = {0};
    int rc = -1;

    cJSON_ArrayForEach(dim, shape) if (array.rank < NPY_RANK_MAX)
        array.dim[array.rank++] =
        cJSON_IsNumber(dim) && dim->valuedouble > 0 ? (uint64_t)dim->valuedouble : 0;
    *path = NULL;
    if (!own_name_is_plain(name) || !own_name_is_plain(part) ||
        !base64_read(&data, answer_string(item, "data"))) {
        report_fail(r, "the judge's answer with the arrays makes no sense");
    } else {
        array.data = buf_str(&data);
        array.bytes = data.len;
        *path = xasprintf("%s/%s-%s.npy", folder, part, name);
        rc = npy_add(&file, &array, r);
        if (rc == 0)
            rc = file_write(*path, buf_str(&file), file.len, r);
    }
    buf_free(&data);
    buf_free(&file);
    return rc;
}

int
own_case_dump(struct cli *cli, long id)
{
    const char *folder = cli->args.flag[FLAG_DUMP];
    struct report *r = &cli->report;
    const cJSON *item;
    cJSON *answer = NULL;
    enum client_result result;
    char url[64];
    int status = 0;

    snprintf(url, sizeof url, "/api/submissions/%ld/arrays", id);
    result = client_get(cli->client, url, &answer, r);
    if (result != CLIENT_OK)
        return client_exit_status(result);
    if (file_mkdirs(folder, r) != 0)
        status = EXIT_BAD_INPUT;
    cJSON_ArrayForEach(item, answer_array(answer, "arrays"))
    {
        char *path = NULL;

        if (status == 0 && own_write_array(folder, item, &path, r) != 0)
            status = path != NULL ? EXIT_BAD_INPUT : EXIT_JUDGE_FAILED;
        else if (status == 0)
            terminal_print(&cli->err, STYLE_DIM, "wrote %s\n", path);
        free(path);
    }
    cJSON_Delete(answer);
    return status;
}
