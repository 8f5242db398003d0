// Text that comes from files, names of files and keys, made fit for a terminal.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes control characters and what is not UTF-8 as \x1b, \n and so on: a name cannot colour, move or rename the
/// terminal it is printed on. In place; what no longer fits into `size` bytes is cut off.
void printable(char *text, size_t size);

#ifdef __cplusplus
}
#endif
