// A stream into memory, as open_memstream is one, that tells where there was too little of it: libc's closes as if all were well.
#pragma once
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream to write into. fclose leaves what was written in *bytes, a zero behind it, and *size, and fails where memory ran
/// out. free() releases the bytes, whatever fclose said. NULL where there is no memory for the stream itself.
FILE *memory_stream(char **bytes, size_t *size);

#ifdef __cplusplus
}
#endif
