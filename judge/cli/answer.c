#include "cli/answer.h"

#include <math.h>

const char *
answer_string(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? item->valuestring : "";
}

double
answer_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

long
answer_count(const cJSON *object, const char *key)
{
    double value = answer_number(object, key);

    return value >= 0 && value < 1e15 ? (long)value : 0;
}

bool
answer_true(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, key));
}

const cJSON *
answer_array(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsArray(item) ? item : NULL;
}
