// links: runner_replies sandbox common
/*
 * What a submission may send in place of its runner's replies. The input is packets: a
 * byte that says whether the arbiter waits for READY or for DONE, two bytes of length,
 * and the packet. After the last one the channel is closed. The link is a real one, on a
 * process that sleeps. What it takes for an answer is used as the arbiter uses it.
 */
#include "arbiter/calling/host.h"
#include "arbiter/calling/runner_link.h"
#include "arbiter/judging/explain.h"
#include "base/buf.h"
#include "runner/protocol.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sandbox_process
sleeping_process(void)
{
    struct sandbox_process p = {.info = -1, .init_pidfd = -1, .output = -1};
    int pipe_fd[2];

    if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) != 0)
        abort();
    p.pid = fork();
    if (p.pid == 0) {
        if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
            _exit(1);
        pause();
        _exit(0);
    }
    if (p.pid < 0)
        abort();
    (void)setpgid(p.pid, p.pid);
    close(pipe_fd[1]);
    p.output = pipe_fd[0];
    p.init_pidfd = pidfd_open(p.pid, 0);
    return p;
}

static void
use_reply(const struct runner_reply *reply)
{
    const struct runner_host host = host_linux.runner(reply);
    struct buf text = {0};

    explain_untrusted(&text, reply->text, strlen(reply->text), RUNNER_TEXT_MAX);
    for (size_t i = 0; i < text.len; i++)
        if ((text.data[i] < ' ' && text.data[i] != '\n' && text.data[i] != '\t') ||
            text.data[i] > '~')
            abort();
    buf_free(&text);
    if (host.cpu >= 0 && (host.launch_ns < 0 || host.preempted < 0))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sandbox_process process = sleeping_process();
    struct runner_reply reply;
    struct runner_link *l;
    struct runner_exit ended;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        abort();
    l = runner_link_adopt(pair[0], &process, 0);
    while (size >= 3) {
        const enum runner_op op = data[0] % 2 != 0 ? RUNNER_READY : RUNNER_DONE;
        size_t len = (size_t)data[1] | (size_t)data[2] << 8;

        data += 3;
        size -= 3;
        len = len < size ? len : size;
        if (send(pair[1], data, len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len)
            break;
        data += len;
        size -= len;
        if (len % 3 == 0)
            (void)runner_link_spoke(l);
        else if (runner_link_wait(l, op, 0, &reply) == RUNNER_ANSWERED)
            use_reply(&reply);
    }
    close(pair[1]);
    runner_link_stop(l, &ended);
    runner_link_free(l);
    return 0;
}
