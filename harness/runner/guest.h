/*
 * What a shared object that a runner loads has for it: a submission, a problem's
 * reference, its inputs.c or checker.c, the solve() that does nothing. Each is linked
 * with guest.c, which exports one object and nothing else.
 */
#ifndef RUNNER_GUEST_H
#define RUNNER_GUEST_H

#define RUNNER_GUEST_NAME "warpjudge_guest"

/* Functions of the CUDA runtime that is linked in; NULL where there is none (references
 * in C), or that function is not there. */
struct runner_guest {
    void (*entry)(void *const *args);
    int (*synchronize)(void);
    int (*last_error)(void);
    const char *(*error_name)(int error);
    const char *(*error_string)(int error);
    const char *(*explain_error)(int error); /* of the emulated GPU's; may say "" */
    int (*get_device)(int *device);
    int (*set_device)(int device);
};

/* What the compiled wrapper (or the reference, or the null submission) provides: args[i]
 * points to 8 bytes that hold parameter i (a pointer, or the scalar's bits). */
#ifdef __cplusplus
extern "C"
#endif
    void
    warpjudge_entry(void *const *args);

#endif
