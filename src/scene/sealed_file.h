// Sealed files: files with checksums, so that truncation and damage are detected. Checkpoints and the initial states of
// saved scenes are sealed files.
//
// Contents, in the machine's byte order: eight letters that name the kind, uint32 version, uint32 0x01020304, uint64
// number of payload bytes, uint32 CRC-32 of the payload, uint32 CRC-32 of these 28 bytes; then the payload.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct SealedKind {
  char letters[9];
  uint32_t version;
  const char *name;  // name in messages: "checkpoint"
} SealedKind;

/// Writes head and payload. The caller checks the stream for errors.
void sealed_write(const SealedKind *kind, const void *payload, size_t size, FILE *stream);

/// Reads the payload, at most `maximum` bytes, and checks all sums. The caller frees it. Returns NULL with an error if
/// the file is cut off, damaged, too large, or of another kind, version or byte order.
unsigned char *sealed_read(const SealedKind *kind, const char *path, uint64_t maximum, size_t *size, Error *error);
