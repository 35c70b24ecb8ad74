#include "daemon/metrics_machine.h"

#include "base/buf.h"
#include "base/json.h"
#include "daemon/daemon.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CALIBRATION_BYTES_MAX ((size_t)1 << 20)
#define START_FIELD 22 /* of /proc/self/stat (proc(5)): when it began, in ticks */

/* --- the process -------------------------------------------------------- */

static int
count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count - 3; /* ".", ".." and the folder's own */
}

/* When the process began, in seconds since 1970; 0: not known. */
static double
process_start_s(void)
{
    char text[1024] = "", *at;
    FILE *f = fopen("/proc/self/stat", "re");
    struct timespec wall, boot;
    size_t n = 0;

    if (f != NULL) {
        n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[n] = '\0';
    at = strrchr(text, ')'); /* behind the name, which is field 2 */
    for (int field = 2; at != NULL && field < START_FIELD; field++)
        at = strchr(at + 1, ' ');
    if (at == NULL)
        return 0;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    return (double)(wall.tv_sec - boot.tv_sec) +
           (double)strtoull(at, NULL, 10) / (double)sysconf(_SC_CLK_TCK);
}

static void
process_memory(double *size, double *resident)
{
    const double page = (double)sysconf(_SC_PAGESIZE);
    FILE *f = fopen("/proc/self/statm", "re");
    char text[200] = "", *end = text;

    if (f != NULL) {
        if (fgets(text, sizeof text, f) == NULL)
            text[0] = '\0';
        fclose(f);
    }
    *size = strtod(text, &end) * page;
    *resident = strtod(end, NULL) * page;
}

static void
metrics_add_process(struct buf *b)
{
    struct rusage used = {0};
    struct rlimit files = {0};
    double size, resident;

    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_NOFILE, &files);
    process_memory(&size, &resident);
    metric_add(b, "process_cpu_seconds_total", "counter",
               "CPU time of the daemon, without compilers and judgements.",
               (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    metric_add(b, "process_resident_memory_bytes", "gauge", "Memory of the daemon.",
               resident);
    metric_add(b, "process_virtual_memory_bytes", "gauge", "Address space of the daemon.",
               size);
    metric_add(b, "process_open_fds", "gauge", "File descriptors that are open.",
               count_files("/proc/self/fd"));
    metric_add(b, "process_max_fds", "gauge", "How many there may be.",
               (double)files.rlim_cur);
    metric_add(b, "process_start_time_seconds", "gauge",
               "When the daemon began, since 1970.", process_start_s());
}

/* --- its files ---------------------------------------------------------- */

static void
metrics_add_database(struct buf *b, const char *path)
{
    static const char *const FILES[][2] = {{"", "database"}, {"-wal", "wal"}};

    metric_head(b, "warpjudge_database_bytes", "gauge",
                "The size of the database, and of its write-ahead log.");
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        char *name = xasprintf("%s%s", path, FILES[i][0]);
        struct stat st;

        if (stat(name, &st) == 0)
            buf_printf(b, "warpjudge_database_bytes{file=\"%s\"} %lld\n", FILES[i][1],
                       (long long)st.st_size);
        free(name);
    }
}

/* Is this the name of a GPU's file: a UUID and ".json"? Then it can be a label. */
static bool
calibration_is_name(const char *name)
{
    const size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "abcdefghijklmnopqrstuvwxyz0123456789-");

    return len > 0 && len < 80 && strcmp(name + len, ".json") == 0;
}

static int
calibration_count(const char *path)
{
    struct report r = {0};
    cJSON *o = json_read_file(path, CALIBRATION_BYTES_MAX, &r);
    const int count = cJSON_GetArraySize(cJSON_GetObjectItem(o, "entries"));

    cJSON_Delete(o);
    return count;
}

/* Adds what is known of each GPU (HOME/calibration): from six measurements on a GPU that
 * is slower than usual is noticed. */
static void
metrics_add_calibrations(struct buf *b, const char *home)
{
    char *folder = xasprintf("%s/calibration", home);
    DIR *dir = opendir(folder);
    struct buf counts = {0}, times = {0};
    struct dirent *e;

    for (int i = 0; dir != NULL && i < DEVICES_MAX && (e = readdir(dir)) != NULL;) {
        char *path = xasprintf("%s/%s", folder, e->d_name);
        const int uuid = (int)strlen(e->d_name) - 5;
        struct stat st;

        if (calibration_is_name(e->d_name) && stat(path, &st) == 0) {
            i++;
            buf_printf(&counts, "warpjudge_calibration_measurements{gpu=\"%.*s\"} %d\n",
                       uuid, e->d_name, calibration_count(path));
            buf_printf(&times,
                       "warpjudge_calibration_timestamp_seconds{gpu=\"%.*s\"} %lld\n",
                       uuid, e->d_name, (long long)st.st_mtime);
        }
        free(path);
    }
    if (dir != NULL)
        closedir(dir);
    metric_head(b, "warpjudge_calibration_measurements", "gauge",
                "Measurements that say how fast the GPU usually is; it takes six.");
    buf_puts(b, buf_str(&counts));
    metric_head(b, "warpjudge_calibration_timestamp_seconds", "gauge",
                "When the GPU was measured last, since 1970.");
    buf_puts(b, buf_str(&times));
    buf_free(&counts);
    buf_free(&times);
    free(folder);
}

void
metrics_add_machine(struct buf *b, const struct daemon *d)
{
    metrics_add_database(b, d->config.database);
    metrics_add_calibrations(b, d->config.home);
    metrics_add_process(b);
}
