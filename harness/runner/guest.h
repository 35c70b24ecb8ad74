/*
 * What each shared object has that a runner loads: a submission, a reference, an
 * inputs.c, a checker.c, or the empty solve(). Each is linked with guest.c, which
 * exports one object and nothing else.
 */
#ifndef RUNNER_GUEST_H
#define RUNNER_GUEST_H

#define RUNNER_GUEST_NAME "warpjudge_guest"

/* Functions of the CUDA runtime that is linked in. Each is NULL if there is no runtime
 * (references in C) or if the runtime does not have it. */
struct runner_guest {
    void (*entry)(void *const *args);
    int (*synchronize)(void);
    int (*last_error)(void);
    const char *(*error_name)(int error);
    const char *(*error_string)(int error);
    const char *(*explain_error)(
        int error); /* only the emulated GPU's runtime; the result may be "" */
    int (*get_device)(int *device);
    int (*set_device)(int device);
};

/* The function that the compiled wrapper, or null.cu, defines. args[i] points to 8
 * bytes that hold parameter i: a pointer or the scalar's bits. */
#ifdef __cplusplus
extern "C"
#endif
    void
    warpjudge_entry(void *const *args);

#endif
