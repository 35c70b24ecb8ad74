/* Finds the CUDA Toolkit. */
#ifndef BASE_TOOLKIT_H
#define BASE_TOOLKIT_H

/* The path of nvcc: WARPJUDGE_NVCC, or the first nvcc on PATH, or
 * /usr/local/cuda/bin/nvcc. NULL where there is none. The caller frees. */
char *toolkit_nvcc(void);

/* The folder of the toolkit that this nvcc belongs to, which holds bin/nvcc, bin/ptxas,
 * include/ and lib64/. The nvcc on PATH may be a link, or a script that starts the real
 * one. It is then run to find out, which costs about 0.1 s. NULL if it does not say. The
 * caller frees. */
char *toolkit_root(const char *nvcc);

/* The folder of the toolkit's shared libraries, without symbolic links in its path. NULL
 * where there is none, or where it is the system's own folder, which holds libc. The
 * caller frees. */
char *toolkit_libraries(const char *cuda_root);

/* The version that the toolkit's headers tell, as "13.0"; NULL where they tell none. The
 * caller frees. */
char *toolkit_version(const char *cuda_root);

#endif
