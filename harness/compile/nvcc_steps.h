/*
 * Runs the steps of nvcc so that a person waits less for a verdict.
 *
 * nvcc takes its steps one after the other. First the host's preprocessor and cudafe++
 * read the source, then the device's preprocessor and cicc read it again. Then gcc
 * compiles what cudafe++ has written. The two halves take about as long. The second one
 * needs only one thing of the first: cudafe++ writes a file with the module's id, which
 * cicc reads. A script writes that file instead, and then runs both halves at the same
 * time. The steps are those that `nvcc --dryrun` prints.
 *
 * What is printed is what nvcc prints: where the host's steps fail, nobody sees what the
 * device's say. Where the steps are not as the script knows them, and where one was ended
 * by a signal, nvcc runs alone.
 */
#ifndef COMPILE_NVCC_STEPS_H
#define COMPILE_NVCC_STEPS_H

/* For `sh -c`, whose arguments are nvcc with its own. nvcc's files stay in the sandbox's
 * own /tmp, whose size is limited. PTX_NAME and FATBIN_NAME (build.h) are taken out. */
extern const char nvcc_steps_script[];

#endif
