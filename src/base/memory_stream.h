// A stream into memory, as open_memstream creates. But if memory runs out, fclose reports an error, which that of glibc
// does not.
#pragma once
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Opens a stream for writing. fclose stores the written bytes in *bytes, followed by a zero byte, and their number in
/// *size; it fails if memory ran out. The caller releases the bytes with free() in either case. NULL if there is no
/// memory for the stream itself.
FILE *memory_stream(char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
