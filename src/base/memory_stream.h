// A stream that writes to memory, which replaces the stream of open_memstream. The difference: if memory runs out,
// fclose reports an error here, whereas with glibc's open_memstream it reports none.
#pragma once
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Opens a stream for writing; NULL if there is no memory for it. fclose stores the written bytes and a zero byte in
/// *bytes, and their number without the zero byte in *size; fclose fails if memory ran out. The caller releases *bytes
/// by free(), also after this failure.
///
/// fflush, too, stores the written bytes and their number, without a zero byte; it fails if memory ran out. rewind then
/// drops the bytes and keeps their memory, so that the stream can be used again without an allocation.
FILE *memory_stream(char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
