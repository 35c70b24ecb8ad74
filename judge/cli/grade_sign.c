#include "cli/grade_sign.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 40

/* What a bundle has as in its line: strings, and numbers as text. */
static const char *const TAKEN[] = {"problem", "meaning", "seed",  "board",
                                    "stage",   "verdict", "sizes", "key"};
static const char *const NUMBERS[] = {"time_ns", "low_ns", "high_ns"};

/* A member of the line as text, with all digits of a double. Empty: there is none. */
static const char *
number_text(char out[NUMBER_BYTES], const cJSON *line, const char *name)
{
    const double value = answer_number(line, name);

    snprintf(out, NUMBER_BYTES, "%.17g", value);
    return isfinite(value) ? out : "";
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
    cJSON *bundle = cJSON_AddObjectToObject(line, "bundle");
    char source[65], number[NUMBER_BYTES];

    hash_hex(in->source, strlen(in->source), source);
    cJSON_AddStringToObject(bundle, "id", in->id);
    cJSON_AddStringToObject(bundle, "source", source);
    cJSON_AddStringToObject(bundle, "toolkit", signer->toolkit);
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
        cJSON_AddStringToObject(bundle, TAKEN[i], answer_string(line, TAKEN[i]));
    add_device(bundle, signer->devices, answer_string(submission, "device"));
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        cJSON_AddStringToObject(bundle, NUMBERS[i],
                                number_text(number, line, NUMBERS[i]));
    add_samples(bundle, answer_array(submission, "samples_ns"));
    bundle_sign(bundle, &signer->key);
}

const char *
grade_sign_differs(const cJSON *line, const cJSON *bundle)
{
    char number[NUMBER_BYTES];

    if (strcmp(answer_string(line, "id"), answer_string(bundle, "id")) != 0)
        return "id";
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
        if (strcmp(answer_string(line, TAKEN[i]), answer_string(bundle, TAKEN[i])) != 0)
            return TAKEN[i];
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        if (strcmp(number_text(number, line, NUMBERS[i]),
                   answer_string(bundle, NUMBERS[i])) != 0)
            return NUMBERS[i];
    return NULL;
}

bool
grade_sign_is_own(const struct grade_signer *signer, const cJSON *line)
{
    const cJSON *bundle = cJSON_GetObjectItemCaseSensitive(line, "bundle");
    struct report unused = {0};

    return bundle != NULL && bundle_check(bundle, &unused) == 0 &&
           strcmp(answer_string(bundle, "public_key"), signer->key.public_hex) == 0 &&
           grade_sign_differs(line, bundle) == NULL;
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
