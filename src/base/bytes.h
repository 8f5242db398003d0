// Reads a range of memory from its start to its end, such as the bytes of a file, and never past its end.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The bytes from `at` to `end` that were not read yet.
typedef struct Bytes {
  const unsigned char *at, *end;
  bool exhausted;  // true: a read went past the end; all later reads give zeros
} Bytes;

/// Copies the next `size` bytes to `out`, or zeros if fewer remain.
static inline void bytes_take(Bytes *bytes, void *out, size_t size) {
  if (bytes->exhausted || size > (size_t)(bytes->end - bytes->at)) {
    bytes->exhausted = true;
    memset(out, 0, size);
    return;
  }
  memcpy(out, bytes->at, size);
  bytes->at += size;
}
