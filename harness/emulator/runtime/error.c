/* Error codes: their names in driver_types.h, and our own words for what they mean. */
#include "runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last;

/* Why the last error that has an explanation occurred. */
static _Thread_local struct {
    cudaError_t of;
    char text[400];
} explanation;

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define E(name, text) {name, #name, text},
#include "errors.def"
#undef E
};

/* Does the error leave the context unusable? Every call that asks the device then
 * returns it again. On an H200 only cudaGetLastError itself forgets it. */
bool
wjrt_is_sticky(cudaError_t e)
{
    return e == cudaErrorIllegalAddress || e == cudaErrorLaunchTimeout ||
           e == cudaErrorAssert ||
           (e >= cudaErrorHardwareStackError && e <= cudaErrorLaunchFailure) ||
           e == cudaErrorContextIsDestroyed;
}

cudaError_t
wjrt_error(cudaError_t e)
{
    if (e != cudaSuccess && e != cudaErrorNotReady)
        last = e;
    return e;
}

cudaError_t
wjrt_explain(cudaError_t e, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(explanation.text, sizeof explanation.text, format, ap);
    va_end(ap);
    explanation.of = e;
    return e;
}

const char *
warpjudge_explain_error(int error)
{
    return error != cudaSuccess && explanation.of == (cudaError_t)error ? explanation.text
                                                                        : "";
}

cudaError_t
cudaGetLastError(void)
{
    cudaError_t e = last;

    last = cudaSuccess;
    return e;
}

cudaError_t
cudaPeekAtLastError(void)
{
    return last;
}

const char *
cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *
cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error)
            return errors[i].text;
    return "unrecognized error code";
}

void
wjrt_warn_once(const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *said[32];
    bool say = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        if (said[i] != NULL && strcmp(said[i], text) == 0)
            break;
        if (said[i] == NULL) {
            said[i] = strdup(text); /* NULL: then it may be said once more */
            say = true;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (say)
        fprintf(stderr, "warpjudge: %s\n", text);
}
