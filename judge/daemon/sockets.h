/* What is set of a connection's socket, and how many there may be. */
#ifndef DAEMON_SOCKETS_H
#define DAEMON_SOCKETS_H

/* Half-open connections, whose other end is gone without a word, end by keepalive. What
 * is written goes out at once. With Nagle's algorithm (RFC 896) it would wait until the
 * client has confirmed what came before, often for 40 ms (RFC 1122, 4.2.3.2). */
void socket_set_options(int fd);

/* How many connections there may be, of at most `most`. Judging keeps the other
 * descriptors. */
int sockets_most(int most);

/* Sends the answer that says why a connection is closed, as far as the socket takes it at
 * once. evhttp knows nothing of it. What has come is thrown away. */
void socket_send_refusal(int fd, int status, int retry_s, const char *why);

#endif
