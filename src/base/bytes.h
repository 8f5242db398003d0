// Reads memory piece by piece, never past its end.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct Bytes {
  const unsigned char *at, *end;
  bool exhausted;  // a read went past the end; from then on all reads return zeros
} Bytes;

/// Copies the next `size` bytes to `out`, or zeros if fewer are left.
static inline void bytes_take(Bytes *bytes, void *out, size_t size) {
  if (bytes->exhausted || size > (size_t)(bytes->end - bytes->at)) {
    bytes->exhausted = true;
    memset(out, 0, size);
    return;
  }
  memcpy(out, bytes->at, size);
  bytes->at += size;
}
