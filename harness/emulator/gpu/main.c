/*
 * warpjudge-gpu: the emulated GPU, a process.
 *
 *     owner (arbiter) ----control socket, descriptor 3----> control thread
 *                                                               | task, one at a time
 *                                                               v
 *     clients (submissions) ----one socket each---------> execution thread -> exec/
 *
 * To a submission it is what a GPU is: it holds the device memory, runs the kernels and
 * keeps the counters. The submission has only a socket to it. To its owner it is what a
 * GPU is to root. It starts with the control socket alone, opens no file, and ends when
 * that socket closes.
 *
 * The execution thread does everything that touches the machine. It takes the owner's
 * requests first, then the clients' as they arrive. While a kernel runs it does nothing
 * else. So a second thread reads the owner's requests. By itself it only stops
 * launches, and it hands over all other requests. The machine has threads of its own
 * for launches.
 *
 * Clients send a stranger's bytes (protocol.h, client.c, command.c). We believe nothing
 * of them. They can neither make us wait nor make us grow without bound. A message that
 * is no request ends its client and no other.
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
    _exit(result != 0 ? 1
                      : 0); /* the execution thread may be busy, so no destructors run */
}
