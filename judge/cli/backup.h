/* `admin backup FILE` and `admin restore FILE`, which work on this machine's files. */
#ifndef CLI_BACKUP_H
#define CLI_BACKUP_H

struct cli;

/* Each returns the exit status, with the report set where it is not 0. */
int backup_write(struct cli *cli, const char *file);
int backup_restore(struct cli *cli, const char *file);

#endif
