/*
 * warpjudge-gpu: the emulated GPU, a process.
 *
 * Theory of operation
 *
 *   owner (arbiter) ----control socket, descriptor 3----> control thread
 *                                                             | task, one at a time
 *                                                             v
 *   clients (submissions) ----one socket each---------> execution thread -> machine
 * (exec/)
 *
 * It is to a submission what a card is: it holds the device memory, runs the kernels and
 * keeps the counters, and the submission has only a socket to it. It is to its owner what
 * a card is to root. It starts with the control socket and nothing else, opens no file,
 * and ends when that socket closes.
 *
 * The execution thread does everything that touches the machine: clients' requests, in
 * order, as they arrive, and the owner's, which go first. While a kernel runs it does
 * nothing else. So there is a second thread, which reads the owner's requests and, by
 * itself, only ever stops a launch; all else it hands over. Launches spread over threads
 * of the machine's own.
 *
 * What clients send is a stranger's bytes (protocol.h, client.c, command.c): nothing in
 * it is believed, nothing of it can make us wait or grow without bound, and what is not a
 * request ends that client and no other.
 */
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int
main(void)
{
    int result;

    signal(SIGPIPE, SIG_IGN);
    result = server_run(GPU_CONTROL_FD);
    if (result != 0)
        fprintf(stderr,
                "warpjudge-gpu: started without an owner: descriptor %d is not a "
                "control socket, or there was no memory for the device\n",
                GPU_CONTROL_FD);
    _exit(result != 0 ? 1 : 0); /* the execution thread may be busy: no destructors */
}
