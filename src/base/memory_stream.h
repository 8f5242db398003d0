// A stream into memory like open_memstream's, but one that fails where memory runs out: libc's closes as if nothing had
// happened.
#pragma once
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream to write into. fclose leaves what was written in *bytes, followed by a zero byte, and its length in *size;
/// it fails where memory ran out. free() releases the bytes either way. NULL where the stream itself has no memory.
FILE *memory_stream(char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
