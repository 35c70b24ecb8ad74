/* Bytes as hexadecimal digits, as hashes, ids and secrets are written. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>

/* Writes two small digits for each byte, and a NUL behind them. */
void hex_write(char *out, const void *bytes, size_t len);

/* Writes the digits of so many random bytes, and a NUL. Nobody can guess them. */
void hex_draw(char *out, size_t bytes);

#endif
