// warpjudge: vector-addition
// attack: process: files of the judge and the host
// expect: accepted honest-time
// Reads which mounts may be written, tries to write, chmod, touch and own the root of each and all of /proc, and opens
// terminals. A find that is not its own /tmp, /dev/shm, a device or a GPU process's own folder in /proc ends it.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
static void found(const char *what)
{
    fprintf(stderr, "it worked: %s\n", what);
    abort();
}
static bool own(const char *point)
{
    static const char *const known[] = {"/tmp", "/dev/shm", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                        "/dev/urandom", "/dev/nvidiactl", "/dev/nvidia-uvm"};
    for (const char *name : known)
        if (strcmp(point, name) == 0)
            return true;
    return strncmp(point, "/dev/nvidia", 11) == 0 && isdigit((unsigned char)point[11]);
}
static void try_all(const char *path)
{
    if (chmod(path, 0755) == 0 || chown(path, getuid(), getgid()) == 0 ||
        utimensat(AT_FDCWD, path, nullptr, 0) == 0 || open(path, O_WRONLY) >= 0)
        found(path);
}
// On a GPU what is in its own folder of /proc may be written, since libcuda names its threads there.
static void in_proc(bool gpu)
{
    static const char *const of_process[] = {"autogroup", "clear_refs", "comm", "coredump_filter", "fail-nth", "gid_map",
                                             "loginuid", "make-it-fail", "mem", "oom_adj", "oom_score_adj", "projid_map",
                                             "sched", "setgroups", "timens_offsets", "timerslack_ns", "uid_map"};
    char path[512];
    DIR *top = opendir("/proc"), *process = opendir("/proc/self");

    while (struct dirent *e = top ? readdir(top) : nullptr) {
        snprintf(path, sizeof path, "/proc/%s", e->d_name);
        if (e->d_type != DT_LNK && e->d_name[0] != '.' && !isdigit((unsigned char)e->d_name[0]))
            try_all(path);
    }
    while (struct dirent *e = process ? readdir(process) : nullptr) {
        bool known = false;
        for (const char *name : of_process)
            known = known || gpu && strcmp(e->d_name, name) == 0;
        snprintf(path, sizeof path, "/proc/self/%s", e->d_name);
        if (!known && e->d_type == DT_REG && open(path, O_WRONLY) >= 0)
            found(path);
    }
    try_all("/proc");
}
extern "C" void solve(const float *A, const float *B, float *C, int N)
{
    static const char *const terminals[] = {"/dev/ptmx", "/dev/pts/ptmx", "/dev/tty", "/dev/console"};
    static bool tried;
    const bool gpu = access("/dev/nvidiactl", F_OK) == 0;
    char line[4096], point[2048], options[512];
    FILE *f = tried ? nullptr : fopen("/proc/self/mountinfo", "r");

    if (!tried && !f)
        found("no mounts to read");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%*s %*s %*s %*s %2047s %511s", point, options) != 2 || own(point))
            continue;
        if (strncmp(options, "ro", 2) != 0 && !(gpu && strcmp(point, "/proc") == 0))
            found(line);
        try_all(point);
    }
    if (f)
        fclose(f);
    if (!tried)
        in_proc(gpu);
    for (const char *path : terminals)
        if (open(path, O_RDWR | O_NOCTTY) >= 0)
            found(path);
    tried = true;
    add<<<(N + 255) / 256, 256>>>(A, B, C, N);
}
