#include "cli/grade_sign.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number as text, with all digits of a double. */
static void
add_number(cJSON *bundle, const char *name, double value)
{
    char text[40];

    if (!isfinite(value))
        return;
    snprintf(text, sizeof text, "%.17g", value);
    cJSON_AddStringToObject(bundle, name, text);
}

static void
add_samples(cJSON *bundle, const cJSON *samples)
{
    struct buf text = {0};
    const cJSON *sample;

    cJSON_ArrayForEach(sample, samples)
    {
        buf_printf(&text, "%s%.17g", text.len > 0 ? " " : "", sample->valuedouble);
    }
    cJSON_AddStringToObject(bundle, "samples", buf_str(&text));
    buf_free(&text);
}

/* What the device is, and its driver. */
static void
add_device(cJSON *bundle, const cJSON *devices, const char *name)
{
    const cJSON *device;

    cJSON_ArrayForEach(device, devices)
    {
        if (strcmp(answer_string(device, "name"), name) != 0)
            continue;
        cJSON_AddStringToObject(bundle, "driver", answer_string(device, "driver"));
        cJSON_AddStringToObject(bundle, "card", answer_string(device, "title"));
    }
}

void
grade_sign(const struct grade_signer *signer, cJSON *line, const struct grade_line *in,
           const cJSON *submission)
{
    static const char *const TAKEN[] = {"problem", "meaning", "seed",  "board",
                                        "stage",   "verdict", "sizes", "key"};
    cJSON *bundle = cJSON_AddObjectToObject(line, "bundle");
    char source[65];

    hash_hex(in->source, strlen(in->source), source);
    cJSON_AddStringToObject(bundle, "id", in->id);
    cJSON_AddStringToObject(bundle, "source", source);
    cJSON_AddStringToObject(bundle, "toolkit", signer->toolkit);
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
        cJSON_AddStringToObject(bundle, TAKEN[i], answer_string(line, TAKEN[i]));
    add_device(bundle, signer->devices, answer_string(submission, "device"));
    add_number(bundle, "time_ns", answer_number(line, "time_ns"));
    add_number(bundle, "low_ns", answer_number(line, "low_ns"));
    add_number(bundle, "high_ns", answer_number(line, "high_ns"));
    add_samples(bundle, answer_array(submission, "samples_ns"));
    bundle_sign(bundle, &signer->key);
}

bool
grade_sign_is_own(const struct grade_signer *signer, const cJSON *line)
{
    const cJSON *bundle = cJSON_GetObjectItemCaseSensitive(line, "bundle");
    struct report unused = {0};

    return bundle != NULL && bundle_check(bundle, &unused) == 0 &&
           strcmp(answer_string(bundle, "public_key"), signer->key.public_hex) == 0 &&
           strcmp(answer_string(bundle, "key"), answer_string(line, "key")) == 0;
}

void
grade_sign_cached(const struct grade_signer *signer, cJSON *line, const char *id)
{
    cJSON *bundle = cJSON_GetObjectItemCaseSensitive(line, "bundle");

    if (bundle == NULL)
        return;
    cJSON_ReplaceItemInObjectCaseSensitive(bundle, "id", cJSON_CreateString(id));
    bundle_sign(bundle, &signer->key);
}
