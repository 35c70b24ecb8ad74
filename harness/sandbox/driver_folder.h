/* Where this machine has the NVIDIA driver's user-space libraries. */
#ifndef SANDBOX_DRIVER_FOLDER_H
#define SANDBOX_DRIVER_FOLDER_H

/* The folder that holds libcuda.so.1, or NULL if there is none. The caller frees it. */
char *driver_folder(void);

#endif
