/*
 * Where the CUDA Toolkit is.
 */
#ifndef CORE_TOOLKIT_H
#define CORE_TOOLKIT_H

/* nvcc's path: WARPJUDGE_NVCC, or the first on PATH, or /usr/local/cuda/bin/nvcc; NULL
 * where there is none. The caller frees. */
char *toolkit_nvcc(void);

/* The toolkit's folder (it holds bin/nvcc, bin/ptxas, include/, lib64/) that this nvcc
 * belongs to. The nvcc on PATH may be a link or a script that starts the real one: then
 * it is asked, which costs about 0.1 s. NULL if it does not say. The caller frees. */
char *toolkit_root(const char *nvcc);

/* The folder of its linked libraries, without symbolic links in its path. NULL: there is
 * none, or it is one of the system's, with libc beside them. The caller frees. */
char *toolkit_libraries(const char *cuda_root);

#endif
