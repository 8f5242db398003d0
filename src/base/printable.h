// Makes text from files, file names and keys safe for a terminal.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes control characters and invalid UTF-8 as \x1b, \t and so on. So a name cannot change the colours, the cursor
/// or the title of the terminal on which it is printed. Works in place; text that no longer fits into `size` bytes is
/// cut off.
void printable(char *text, size_t size);

#ifdef __cplusplus
}
#endif
