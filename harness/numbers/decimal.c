#include "numbers/decimal.h"

#include "numbers/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MAX 1e9       /* larger whole numbers are clearer with an exponent */
#define WHOLE_JSON_MAX 1e15 /* cJSON prints larger ones with 15 digits */

/* Writes the fewest digits that read back as the same value of the type. 9 are always
 * enough for float32, 17 for float64 (D. M. Gay, 1990), and 5 for the 16-bit types. */
static void
decimal_real(enum dtype type, double value, char *text)
{
    const int digits_max = type == DTYPE_F64 ? 17 : type == DTYPE_F32 ? 9 : 5;

    if (value == floor(value) && fabs(value) < WHOLE_MAX) {
        snprintf(text, DECIMAL_BYTES, "%.0f", value);
        return;
    }
    for (int digits = 1; digits <= digits_max; digits++) {
        double back;

        snprintf(text, DECIMAL_BYTES, "%.*g", digits, value);
        back = strtod(text, NULL);
        if (type == DTYPE_F32 ? (float)back == (float)value : back == value)
            break;
    }
}

void
decimal_text(enum dtype type, const void *element, char out[DECIMAL_BYTES])
{
    const double value = gen_load((uint8_t)type, element, 0);
    int64_t i64;
    uint64_t u64;

    if (type == DTYPE_I64) {
        memcpy(&i64, element, sizeof i64);
        snprintf(out, DECIMAL_BYTES, "%" PRId64, i64);
    } else if (type == DTYPE_U64) {
        memcpy(&u64, element, sizeof u64);
        snprintf(out, DECIMAL_BYTES, "%" PRIu64, u64);
    } else if (dtype_class(type) != CLASS_FLOAT) {
        snprintf(out, DECIMAL_BYTES, "%.0f", value);
    } else if (isnan(value)) {
        snprintf(out, DECIMAL_BYTES, "NaN");
    } else if (isinf(value)) {
        snprintf(out, DECIMAL_BYTES, value < 0 ? "-infinity" : "infinity");
    } else {
        decimal_real(type, value, out);
    }
}

bool
decimal_is_json(enum dtype type, const void *element)
{
    const double value = gen_load((uint8_t)type, element, 0);

    return isfinite(value) &&
           (dtype_class(type) == CLASS_FLOAT || fabs(value) < WHOLE_JSON_MAX);
}
