// A stream that writes to memory, as open_memstream creates. If memory runs out, fclose of this stream reports an
// error. The stream of glibc's open_memstream reports none.
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
