/* Gives each file named on the command line, or every file of a folder named there, to
 * the fuzz target it is linked with: how crashers stay tests without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path)
{
    uint8_t *data = NULL;
    long size;
    FILE *f = fopen(path, "rb");

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
        perror(path);
        if (f != NULL)
            fclose(f);
        return -1;
    }
    rewind(f);
    data = malloc((size_t)size + 1);
    if (data == NULL || fread(data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        fclose(f);
        free(data);
        return -1;
    }
    fclose(f);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

static int
replay_folder(DIR *dir, const char *path)
{
    struct dirent *entry;
    int failed = 0;

    while ((entry = readdir(dir)) != NULL) {
        char file[4096];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed |= replay_file(file) != 0;
    }
    return failed ? -1 : 0;
}

int
main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);

        if (dir == NULL) {
            failed |= replay_file(argv[i]) != 0;
            continue;
        }
        failed |= replay_folder(dir, argv[i]) != 0;
        closedir(dir);
    }
    return failed;
}
