// Reading what lies in memory, piece by piece, never past its end.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Bytes {
  const unsigned char *at, *end;
  bool exhausted;  // more was asked for than there was; from then on everything reads as zero
} Bytes;

/// Copies the next `size` bytes to `out`, or zeros where there are fewer.
static inline void bytes_take(Bytes *bytes, void *out, size_t size) {
  if (bytes->exhausted || size > (size_t)(bytes->end - bytes->at)) {
    bytes->exhausted = true;
    memset(out, 0, size);
    return;
  }
  memcpy(out, bytes->at, size);
  bytes->at += size;
}
