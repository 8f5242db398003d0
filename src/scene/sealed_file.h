// Sealed files: files with checksums, by which a reader detects truncation and damage. Checkpoints and initial states
// of saved scenes are sealed files.
//
// Contents, in the machine's byte order:
//   - eight letters that name the kind of file
//   - uint32: version
//   - uint32: 0x01020304, by which a reader detects a file from a machine with another byte order
//   - uint64: number of bytes of the payload (the data)
//   - uint32: CRC-32 of the payload
//   - uint32: CRC-32 of the 28 bytes before this number
//   - the payload
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

// A kind of sealed file, that is, a file with a header and checksums.
typedef struct SealedKind {
  char letters[9];   // first eight letters of the file, such as "PLIANTCK"
  uint32_t version;  // version of the format; other versions are refused
  const char *name;  // name in messages, such as "checkpoint"
} SealedKind;

/// Writes a sealed file: the header, then the payload, `size` bytes. The caller checks the stream for errors.
void sealed_write(const SealedKind *kind, const void *payload, size_t size, FILE *stream);

/// Reads the payload of a file, at most `maximum` bytes, and checks both checksums. The caller frees the payload.
/// Returns NULL with an error if the file is incomplete, damaged, too large, or of another kind, version or byte order.
unsigned char *sealed_read(const SealedKind *kind, const char *path, uint64_t maximum, size_t *size, Error *error);
