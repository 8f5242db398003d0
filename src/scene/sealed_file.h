// Files that know whether they are whole: checkpoints, and the states that saved scenes begin in.
//
// In the machine's byte order: eight letters that say what it is, uint32 version, uint32 0x01020304, uint64 bytes that
// follow, uint32 CRC-32 of those, uint32 CRC-32 of this head; then those bytes.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct SealedKind {
  char letters[9];
  uint32_t version;
  const char *name;  // for messages: "checkpoint"
} SealedKind;

/// Writes head and bytes. Whether the stream took them is for its owner to find out.
void sealed_write(const SealedKind *kind, const void *payload, size_t size, FILE *stream);

/// The bytes behind the head, at most `most`, once all sums are right; free() releases them. NULL where the file is cut
/// off, damaged, of another kind, version or byte order, or too large.
unsigned char *sealed_read(const SealedKind *kind, const char *path, uint64_t most, size_t *size, Error *error);
