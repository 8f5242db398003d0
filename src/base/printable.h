// Makes texts from files, file names and keys safe for a terminal.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Replaces control characters and invalid UTF-8 in `text` by \x1b, \t and so on, so that a name cannot change colours,
/// cursor or title of a terminal. Text that no longer fits into `size` bytes is cut off.
void printable(char *text, size_t size);

#ifdef __cplusplus
}
#endif
