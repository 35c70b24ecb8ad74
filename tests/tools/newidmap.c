/*
 * Stands for newuidmap and newgidmap in a test, by the name under which it is run, where
 * the package uidmap is not installed. It is set-uid root and grants whatever is asked:
 * never install it. usage: newuidmap PID (INSIDE OUTSIDE COUNT)...
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    const char *base = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = base != NULL ? base + 1 : argv[0];
    char path[64], text[256] = "";
    size_t len = 0;
    int fd;

    if (argc < 5 || (argc - 2) % 3 != 0)
        return 2;
    for (int i = 2; i < argc && len < sizeof text; i += 3)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s %s %s\n", argv[i],
                                argv[i + 1], argv[i + 2]);
    if (len >= sizeof text)
        return 2;
    snprintf(path, sizeof path, "/proc/%.16s/%s", argv[1],
             strcmp(name, "newgidmap") == 0 ? "gid_map" : "uid_map");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len) {
        perror(path);
        return 1;
    }
    return 0;
}
