/* Writes files of the user's that were not there before. */
#ifndef CLI_NEW_FILE_H
#define CLI_NEW_FILE_H

#include "base/report.h"

#include <stddef.h>

/* Writes a new file, which is whole or not there. A file that is there is left as it is,
 * and the report ends with the example of a command that names another one. */
int new_file_write(const char *path, const void *bytes, size_t len, const char *example,
                   struct report *r);

#endif
